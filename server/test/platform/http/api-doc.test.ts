import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { sharedApp } from '../../helpers/harness.ts'

const text = await readFile(resolve(import.meta.dirname, '../../../../docs/api.md'), 'utf8')
const requests = [...text.matchAll(/^```json POST \/v1(\S+)\n(.*?)^```/gms)].map(
  ([, path = '', body = '']) => [path, JSON.parse(body)] as const,
)

test('the requests of docs/api.md are accepted, and its headers are those of the answers', async () => {
  await using app = await sharedApp({ RATE_LIMIT_PER_MINUTE: '600' })
  const shop = await app.makeAccount()
  assert.equal(requests.length, 4)
  for (const [path, body] of requests) {
    const { status, headers } = await shop.post(path, body)
    assert.equal(status, 200, `${path} ${JSON.stringify(body)}`)
    assert.equal(headers['ratelimit-policy'], '"key";q=600;w=60')
    assert.match(String(headers.ratelimit), /^"key";r=\d+;t=\d+$/)
    assert.ok(headers['x-request-id'])
  }
})

test('a conversation has the latest label, which a message without one leaves as it is', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const labels = []
  for (const [at, channel] of [undefined, 'web chat', undefined, 'e-mail'].entries()) {
    const message = { messageSid: `sid-${at}`, fromId: 'ana', toId: 'shop', body: 'Hello' }
    await shop.post('/incoming_custom_channel_message', { customData: { ...message, ...(channel && { channel }) } })
    labels.push((await app.db.selectFrom('conversations').select('channel').executeTakeFirstOrThrow()).channel)
  }
  assert.deepEqual(labels, [null, 'web chat', 'web chat', 'e-mail'])
})
