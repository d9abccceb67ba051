import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveryErrorOf } from '../../src/inbox/thread/delivery-error.ts'
import { countdown } from '../../src/ui/countdown.ts'
import { delivery } from './helpers.ts'

const now = new Date('2026-11-16T10:00:00Z')
const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString()
const failed = (category: string, fields: Parameters<typeof delivery>[1] = {}, httpStatus: number | null = null) =>
  deliveryErrorOf(delivery('Failed', { attempts: 4, fault: { category, httpStatus, detail: null }, ...fields }), now)

test('a reply that will be tried again says the cause, the try and when, by itself', () => {
  const error = failed('http_error', { nextAttemptAt: inSeconds(192) }, 503)
  assert.equal(error?.title, 'Not delivered.')
  assert.equal(error?.cause, 'Your server answered 503.')
  assert.equal(error?.next, 'Try 5 of 11 in 3:12, by itself')
  assert.equal(error?.tries, '4 tries so far')
  assert.equal(error?.act, 'send again')
  assert.equal(failed('timeout', { nextAttemptAt: inSeconds(0) })?.next, 'Try 5 of 11 now')
  const asked = failed('timeout', { attempts: 9, askedAttempts: 5, nextAttemptAt: inSeconds(192) })
  assert.equal(asked?.next, 'Try 5 of 11 in 3:12, by itself')
  assert.equal(asked?.tries, '9 tries so far')
})

test('every category of the server has a sentence of its own', () => {
  const categories = ['timeout', 'redirect', 'dns_error', 'connection_refused', 'connection_reset', 'tls_error']
  const others = [
    'invalid_response',
    'blocked_address',
    'too_large',
    'no_endpoint',
    'endpoint_paused',
    'secret_unreadable',
  ]
  const sentences = [...categories, ...others].map((category) => failed(category, {}, 301)?.cause)
  assert.equal(new Set(sentences).size, categories.length + others.length)
  assert.equal(sentences.includes('It did not work.'), false)
})

test('what is not tried again says what to do', () => {
  assert.match(failed('http_error', {}, 410)?.next ?? '', /^Not tried again\. Save another/)
  assert.match(failed('blocked_address')?.next ?? '', /^Not tried again\./)
  assert.equal(failed('http_error', { attempts: 11 }, 500)?.next, '11 tries; not tried again by itself')
  assert.equal(failed('no_endpoint')?.act, 'add webhook')
  assert.equal(failed('no_endpoint')?.title, 'Not sent.')
  assert.equal(failed('endpoint_paused')?.act, 'open receiver')
})

test('a category of a later server shows that server’s own sentence', () => {
  const fault = { category: 'new_thing', httpStatus: null, detail: 'The moon is in the way.' }
  assert.equal(deliveryErrorOf(delivery('Failed', { fault }), now)?.cause, 'The moon is in the way.')
})

test('a delivery that has not failed has no delivery error', () => {
  assert.equal(deliveryErrorOf(delivery('Sent'), now), undefined)
  assert.equal(deliveryErrorOf(delivery('Waiting'), now), undefined)
})

test('the countdown has minutes and seconds, and hours from one on', () => {
  assert.deepEqual([0, 5_900, 192_000, 3_599_000, 7_392_000, -5].map(countdown), [
    ...['0:00', '0:05', '3:12', '59:59', '2:03:12', '0:00'],
  ])
})
