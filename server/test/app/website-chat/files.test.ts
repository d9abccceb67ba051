import assert from 'node:assert/strict'
import { type RequestOptions, request } from 'node:https'
import { test } from 'node:test'
import { makeFileToken, readFileToken } from '../../../src/journey/media/outgoing/file-token.ts'
import { png } from '../../helpers/media-files.ts'
import { until } from '../../helpers/until.ts'
import {
  type ChatWorld,
  contactsOf,
  page,
  startChatWorld,
  type Visitor,
} from '../../helpers/website-chat/chat-world.ts'

const upload = (visitor: Visitor, name: string, raw: Buffer, type = 'application/octet-stream') =>
  visitor.call('POST', `files?name=${encodeURIComponent(name)}`, { raw, headers: { 'content-type': type } })

async function writeFirst(world: ChatWorld, given?: { address: string }): Promise<Visitor> {
  const visitor = world.visitor(given)
  assert.equal((await visitor.post('Hello')).status, 201)
  return visitor
}

test('WC26 a picture of a visitor goes with one message of theirs, and is shown from its address alone', async () => {
  await using world = await startChatWorld()
  const [ana, ben] = [await writeFirst(world), await writeFirst(world)]
  assert.equal((await upload(world.visitor(), 'a.png', png)).status, 401, 'only after a message')
  const { status, body } = await upload(ana, 'me & you.png', png, 'image/png')
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal((await ben.post('', { fileId: body.fileId })).status, 404, "another's")
  assert.equal((await ana.post('look', { fileId: body.fileId })).status, 201)
  assert.equal((await ana.post('again', { fileId: body.fileId })).status, 404, 'once')
  const file = (await ana.read()).messages.at(-1)?.file
  assert.ok(file?.url)
  assert.deepEqual(
    [file.name, file.contentType, file.isPicture, file.sizeBytes],
    ['me & you.png', 'image/png', true, png.length],
  )
  const answer = await world.visitor({ origin: undefined }).call('GET', file.url)
  assert.equal(answer.status, 200)
  const { headers } = answer
  assert.deepEqual(
    ['content-type', 'cross-origin-resource-policy', 'x-content-type-options'].map((name) => headers[name]),
    ['image/png', 'cross-origin', 'nosniff'],
  )
  assert.match(
    String(headers['content-disposition']),
    /^inline; filename="me _ you\.png"; filename\*=UTF-8''me%20%26%20you\.png$/,
  )
  assert.match(String(headers['content-security-policy']), /^sandbox; default-src 'none'/)
  const contactId = (await contactsOf(world))[0]
  assert.equal((await world.owner.call('DELETE', `/api/contacts/${contactId}`)).status, 200)
  assert.equal((await world.visitor().call('GET', file.url)).status, 404, 'erased')
})

test('WC26 what is no picture is a download, and what could run in a page, is too large or unknown is not taken', async () => {
  await using world = await startChatWorld()
  const visitor = await writeFirst(world)
  const pdf = Buffer.from('%PDF-1.4\n%âãÏÓ\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF')
  const { body } = await upload(visitor, 'a.pdf', pdf, 'text/html')
  assert.equal((await visitor.post('', { fileId: body.fileId })).status, 201)
  const url = (await visitor.read()).messages.at(-1)?.file?.url ?? ''
  const { headers, status } = await visitor.call('GET', url)
  assert.deepEqual(
    [status, headers['content-type'], headers['cross-origin-resource-policy']],
    [200, 'application/octet-stream', 'same-origin'],
  )
  assert.match(String(headers['content-disposition']), /^attachment/)
  const other = await writeFirst(world)
  for (const [name, bytes] of [
    ['a.png', Buffer.from('<html><script>alert(1)</script>')],
    ['a.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
    ['a.txt', Buffer.from('\n <!DOCTYPE html><p>')],
    ['a.bin', Buffer.from([1, 2, 3, 4])],
    ['empty.txt', Buffer.alloc(0)],
  ] as const) {
    const third = name === 'a.bin' ? await writeFirst(world) : other
    assert.equal((await upload(third, name, bytes)).status, 400, name)
  }
  const huge = await upload(await writeFirst(world), 'a.png', Buffer.concat([png, Buffer.alloc(11 * 1024 * 1024)]))
  assert.equal(huge.status, 413)
  assert.equal((await upload(await writeFirst(world), 'a.txt', Buffer.from('Plain words'))).status, 200)
})

const MiB = 1024 * 1024

test('who reads files slowly, or sends them slowly under names of others, keeps nobody else from theirs', async () => {
  await using world = await startChatWorld()
  const { app, channelId } = world
  using asking = new DisposableStack()
  const begin = (path: string, options: RequestOptions) => {
    const one = request(`${app.url}${path}`, { ca: app.certificate, agent: false, ...options })
    asking.defer(() => one.destroy())
    return one.on('error', () => {})
  }
  const slow = { address: '203.0.113.7' }
  const reader = await writeFirst(world, slow)
  const { body } = await upload(reader, 'a.png', Buffer.concat([png, Buffer.alloc(9 * MiB)]))
  await reader.post('', { fileId: body.fileId })
  const path = (await reader.read()).messages.at(-1)?.file?.url ?? assert.fail()
  let begun = 0
  for (let n = 0; n < 20; n += 1)
    begin(path, { headers: { 'x-forwarded-for': slow.address } })
      .on('response', () => {
        begun += 1
      })
      .end()
  await until(() => begun >= 11, 'as many as one may have')
  const ana = await writeFirst(world)
  const small = await upload(ana, 'b.png', png)
  await ana.post('', { fileId: small.body.fileId })
  const other = (await ana.read()).messages.at(-1)?.file?.url ?? assert.fail()
  assert.equal((await ana.call('GET', other)).status, 200)

  let [admitted, answered] = [0, 0]
  for (let n = 0; n < 4; n += 1) {
    const { bearer } = await writeFirst(world, slow)
    const headers = {
      ...{ authorization: `Bearer ${bearer}`, origin: page, 'x-forwarded-for': slow.address },
      ...{ 'x-api-key': `made up ${n}`, 'content-length': 2 * MiB, expect: '100-continue' },
      'content-type': 'application/octet-stream',
    }
    begin(`/chat/${channelId}/files?name=a.png`, { method: 'POST', headers })
      .on('continue', () => {
        admitted += 1
      })
      .on('response', () => {
        answered += 1
      })
      .flushHeaders()
  }
  await until(() => admitted >= 3, 'as many as one may have')
  for (let n = 0; n < 3; n += 1) await writeFirst(world) // the fourth has come by then
  const large = await upload(ana, 'c.png', Buffer.concat([png, Buffer.alloc(2 * MiB)]))
  assert.deepEqual([large.status, admitted, answered], [200, 3, 0])
})

test('WC26 an address of a file is good for an hour, for that file alone, and cannot be made by anybody else', () => {
  const [secretKey, now] = [Buffer.alloc(32, 'a'), 1_800_000_000_000]
  const ids = { channelId: `chn_${'1'.repeat(32)}`, messageId: `msg_${'2'.repeat(32)}` } as const
  for (const named of [
    { reader: 'chat', ...ids },
    { reader: 'provider', ...ids },
  ] as const)
    checkToken(secretKey, named, now)
})

function checkToken(secretKey: Buffer, named: Parameters<typeof makeFileToken>[1], now: number): void {
  const token = makeFileToken(secretKey, named, now)
  assert.deepEqual({ ...readFileToken(secretKey, token, now), until: 0 }, { ...named, until: 0 })
  assert.equal(readFileToken(secretKey, token, now + 3_600_001), undefined)
  assert.equal(readFileToken(Buffer.alloc(32, 'b'), token, now), undefined)
  for (let at = 0; at < token.length - 1; at += 5) {
    const changed = `${token.slice(0, at)}${token[at] === 'a' ? 'b' : 'a'}${token.slice(at + 1)}`
    assert.equal(readFileToken(secretKey, changed, now), undefined, changed)
  }
}
