import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import { postMessage } from '../../src/first-run/commands.ts'
import { doRepliesArrive, isDone, receiverState, whyNotPluggedIn } from '../../src/first-run/steps.ts'
import { proofOf } from '../../src/settings/webhook/proof-of.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 16, 10, minute)).toISOString()
const test200 = { at: at(5), status: 'Sent' as const, fault: null, durationMs: 12, checksSignature: true }
const test500 = {
  ...test200,
  status: 'Failed' as const,
  fault: { category: 'http_error', httpStatus: 500, detail: '' },
}

type Webhook = NonNullable<FirstRun['webhook']>
const steps = (webhook: Partial<Webhook> | null, reply: { isSimulated: boolean } | null = null) =>
  ({
    webhook: webhook && {
      url: 'https://x.example/',
      savedAt: at(0),
      test: null,
      tookReplyAt: null,
      failedAt: null,
      ...webhook,
    },
    reply,
  }) as FirstRun

test('what is said of the receiver is what happened last', () => {
  assert.equal(receiverState(steps(null)), 'none')
  assert.equal(receiverState(steps({})), 'untested')
  assert.equal(receiverState(steps({ test: test200 })), 'tested')
  assert.equal(receiverState(steps({ test: test500 })), 'refused')
  assert.equal(
    receiverState(steps({ test: test500 }, { isSimulated: true })),
    'refused',
    'the simulator took the reply',
  )
  assert.equal(receiverState(steps({ test: test500, tookReplyAt: at(6) })), 'takes')
  assert.equal(receiverState(steps({ test: test500, tookReplyAt: at(4) })), 'refused')
  assert.equal(receiverState(steps({ failedAt: at(4) })), 'failing')
  assert.equal(receiverState(steps({ failedAt: at(6), tookReplyAt: at(4) })), 'failing')
  assert.equal(receiverState(steps({ test: test200, failedAt: at(6) })), 'failing', 'the test was before')
  assert.equal(receiverState(steps({ test: test200, failedAt: at(6), tookReplyAt: at(4) })), 'failing')
  assert.equal(receiverState(steps({ test: test500, failedAt: at(6) })), 'failing')
  assert.equal(receiverState(steps({ test: test500, failedAt: at(4) })), 'refused')
  assert.equal(receiverState(steps({ test: test200, failedAt: at(4), tookReplyAt: at(3) })), 'tested')
})

test('where all steps are done, what is missing is said', () => {
  const real = { isSimulated: false }
  const why = (webhook: Partial<Webhook>, message: { isSimulated: boolean }, reply: { isSimulated: boolean }) =>
    whyNotPluggedIn({ ...steps(webhook, reply), message } as FirstRun)
  assert.equal(why({ test: test200 }, { isSimulated: true }, real), 'simulated')
  assert.equal(why({ test: test200 }, real, { isSimulated: true }), 'simulated')
  assert.equal(why({ test: test200 }, real, real), 'unproven', 'a reply went to another address')
  assert.equal(why({ test: test500, tookReplyAt: at(4) }, real, real), 'failing')
  assert.equal(why({ test: test200, tookReplyAt: at(3), failedAt: at(4) }, real, real), 'mended')
})

test('replies reach the server when a real one did, and none of the simulator counts', () => {
  assert.equal(doRepliesArrive(steps({ test: test200 }, { isSimulated: true })), false)
  assert.equal(doRepliesArrive(steps({ test: test200, tookReplyAt: at(6) }, { isSimulated: false })), true)
  assert.equal(doRepliesArrive(steps({ tookReplyAt: at(4), failedAt: at(5) }, { isSimulated: false })), false)
  assert.equal(isDone(steps({ test: test500 }, { isSimulated: true }), 'webhook'), false)
})

test('an address works only after it has taken something', () => {
  const saved = {
    state: 'working' as const,
    lastSuccessAt: null,
    lastTest: null,
    attempts: [] as unknown,
  } as Parameters<typeof proofOf>[0]
  assert.equal(proofOf(saved), 'untried')
  assert.equal(proofOf({ ...saved, lastTest: test200 }), 'works')
  assert.equal(proofOf({ ...saved, lastTest: test500 }), 'refused')
  assert.equal(proofOf({ ...saved, lastTest: test500, lastSuccessAt: at(6) }), 'works')
  const taken = [{ at: at(6), ok: true }]
  assert.equal(
    proofOf({ ...saved, lastTest: test500, lastSuccessAt: at(4), attempts: taken }),
    'works',
    'not noted yet',
  )
  assert.equal(proofOf({ ...saved, state: 'failing', lastTest: test200 }), 'failing')
})

test('the command to copy has lines that can be read beside its button', () => {
  const server = { publicUrl: 'https://patchbay.example', certificate: null }
  const command = postMessage({ server, apiKey: undefined, sid: 'demo-1', body: "What's up?" })
  const longest = Math.max(...command.split('\n').map((line) => line.length))
  assert.ok(longest <= 72, `${longest} characters`)
  const data = /-d '([\s\S]*)' \\\n/.exec(command)?.[1]?.replaceAll("'\\''", "'") ?? ''
  const customData = { messageSid: 'demo-1', toId: 'shop', channel: 'Web chat', fromId: 'ana', firstName: 'Ana' }
  assert.deepEqual(JSON.parse(data), { customData: { ...customData, body: "What's up?" } })
})
