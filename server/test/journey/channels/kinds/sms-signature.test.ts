import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import twilio from 'twilio'
import type { HookRequest } from '../../../../src/journey/channels/kinds/kind.ts'
import { sms } from '../../../../src/journey/channels/kinds/sms/sms.ts'

const authToken = '0123456789abcdef0123456789abcdef'
const secrets = { accountSid: `AC${'1'.repeat(32)}`, sender: '+447700900155', authToken, key: null }
const url = 'https://patchbay.shop.example/hooks/sms/chn_1'
const { hook } = sms
assert.ok(hook)

const sign = (signed: string, parameters: Record<string, unknown>, token = authToken) =>
  twilio.getExpectedTwilioSignature(token, signed, parameters)

function requestOf(body: string, signature: string, given: Partial<HookRequest> = {}): HookRequest {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature }
  const query = new URLSearchParams()
  return { headers, body: Buffer.from(body), about: '', query, urls: [url], receivedAt: 0, ...given }
}

const formOf = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString()
const isAuthentic = (request: HookRequest) => hook.isAuthentic(request, secrets)

test('CH02: what the SDK of Twilio signs is taken, whatever is written in it; with one byte changed it is not', () => {
  const parameters = {
    ...{ AccountSid: secrets.accountSid, Body: 'Grüße 🔧 a+b & c=d  ', From: '+15550001111', ZZ: '', 'a b': 'x' },
    ...{ body: 'lower', Body1: 'one', Nul: '\0', Lines: 'a\r\nb' },
  }
  const body = formOf(parameters)
  const signature = sign(url, parameters)
  assert.equal(isAuthentic(requestOf(body, signature)), true)
  for (const changed of [body.replace('Gr', 'Gs'), `${body}&New=1`, body.replace('++', '+'), '']) {
    assert.equal(isAuthentic(requestOf(changed, signature)), false, changed)
  }
  assert.equal(isAuthentic(requestOf(body, sign(url, parameters, 'f'.repeat(32)))), false)
  assert.equal(isAuthentic(requestOf(body, sign(`${url}x`, parameters))), false)
})

test('parameters that nobody knows are signed as well, and the SDK agrees on any of them', () => {
  const texts = fc.string({ unit: 'grapheme', maxLength: 30 })
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ minLength: 1, maxLength: 12 }), texts, { noNullPrototype: true }),
      (given) => {
        const body = formOf(given)
        const read = Object.fromEntries(new URLSearchParams(body))
        assert.equal(isAuthentic(requestOf(body, sign(url, read))), true)
      },
    ),
    { numRuns: 200 },
  )
})

test('of a name that comes twice the different values count, in order', () => {
  const signature = sign(url, { MediaUrl: ['b', 'a', 'b'] })
  assert.equal(isAuthentic(requestOf('MediaUrl=b&MediaUrl=a&MediaUrl=b', signature)), true)
  assert.equal(isAuthentic(requestOf('MediaUrl=b', signature)), false)
})

test('the address counts with and without its port and our fragment, as it came and by the one that was set last', () => {
  const parameters = { Body: 'Hello' }
  const target = '/hooks/sms/chn_1/status?m=msg%5F1&p=1'
  const query = new URLSearchParams(target.split('?')[1])
  const urls = [`https://new.example:8443${target}`, `https://old.example${target}`]
  const given = { about: 'status', query, urls }
  for (const base of [
    'https://new.example:8443',
    'https://new.example',
    'https://old.example',
    'https://old.example:443',
  ]) {
    for (const fragment of ['', '#rc=5&rp=all']) {
      const request = requestOf(formOf(parameters), sign(base + target + fragment, parameters), given)
      assert.equal(isAuthentic(request), true, base + fragment)
    }
  }
  for (const other of [`https://else.example${target}`, 'https://old.example/hooks/sms/chn_1/status?m=msg_1&p=1']) {
    assert.equal(isAuthentic(requestOf(formOf(parameters), sign(other, parameters), given)), false, other)
  }
})

test('a JSON body counts by its hash in the address, and not without it', () => {
  const body = '{"a":1}'
  const withHash = `${url}?bodySHA256=${hash('sha256', body)}`
  const given = { urls: [withHash], query: new URLSearchParams(withHash.split('?')[1]) }
  const json = (text: string, signature: string, more: Partial<HookRequest> = given) => {
    const request = requestOf(text, signature, more)
    return isAuthentic({
      ...request,
      headers: { ...request.headers, 'content-type': 'application/json; charset=utf-8' },
    })
  }
  assert.equal(json(body, sign(withHash, {})), true)
  assert.equal(json('{"a":2}', sign(withHash, {})), false)
  assert.equal(json(body, sign(url, {}), {}), false)
})

test('CH03: a signature that is missing, empty, doubled, in another form or too long is none, before the body is read', () => {
  const signature = sign(url, {})
  const may = (given: string | string[] | undefined) => hook.mayBeAuthentic({ 'x-twilio-signature': given }, secrets)
  assert.equal(may(signature), true)
  const hex = Buffer.from(signature, 'base64').toString('hex')
  const sha256 = Buffer.alloc(32).toString('base64')
  for (const wrong of [
    undefined,
    '',
    [signature, signature],
    `${signature}, ${signature}`,
    hex,
    hex.toUpperCase(),
    sha256,
  ]) {
    assert.equal(may(wrong), false, String(wrong))
  }
})

test('a form of more parameters than Twilio has is not looked at', () => {
  const many = Object.fromEntries(Array.from({ length: 1_100 }, (_one, n) => [`P${n}`, '1']))
  assert.equal(isAuthentic(requestOf(formOf(many), sign(url, many))), false)
})
