import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { test } from 'node:test'
import { browserAddress, idOfSid, readBearer, readKey, sidOf } from '../../../src/app/website-chat/who/bearer.ts'
import { readMemberToken } from '../../../src/app/website-chat/who/member-token.ts'

const channelId = `chn_${'1'.repeat(32)}` as const
const other = `chn_${'2'.repeat(32)}` as const
const key = randomBytes(32).toString('base64url')

test('a bearer is read from the header alone, whole, and nothing that is nearly one', () => {
  assert.deepEqual(readBearer(`Bearer b.${key}`), { is: 'browser', key })
  assert.deepEqual(readBearer('Bearer j.a.b.c'), { is: 'member', token: 'a.b.c', key: undefined })
  assert.deepEqual(readBearer(`Bearer j.a.b.c b.${key}`), { is: 'member', token: 'a.b.c', key })
  for (const header of [
    undefined,
    '',
    key,
    `b.${key}`,
    `Bearer ${key}`,
    `Bearer b.${key}x`,
    `Bearer b.${key.slice(1)}`,
    `Basic b.${key}`,
  ])
    assert.equal(readBearer(header), undefined, String(header))
  assert.equal(readKey(`b.${key}`), key)
  assert.equal(readKey(`c.${key}`), undefined)
})

test('WC02 a key is somebody else on another channel, and ids of one visitor never meet those of another', () => {
  const address = browserAddress(channelId, key)
  assert.match(address.address, /^[0-9a-f]{64}$/)
  assert.notEqual(address.address, browserAddress(other, key).address)
  assert.ok(!JSON.stringify(address).includes(key))
  const id = 'ABCDEF00-0000-4000-8000-000000000000'
  const sid = sidOf(channelId, address, id)
  assert.match(sid, new RegExp(`^${channelId}:[0-9a-f]{24}/abcdef00-`))
  assert.notEqual(sid, sidOf(channelId, { ...address, kind: 'member' }, id))
  assert.notEqual(sid, sidOf(channelId, browserAddress(channelId, `${key.slice(1)}A`), id))
  assert.equal(idOfSid(sid), id.toLowerCase())
})

const secret = randomBytes(32).toString('base64url')
const now = 1_800_000_000
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const right = { sub: 'customer 7', aud: channelId, exp: now + 3_600, name: 'Ana Alves', email: 'ana@example.com' }

function make(claims: object, head: object = { alg: 'HS256', typ: 'JWT' }, by = secret): string {
  const signed = `${encode(head)}.${encode(claims)}`
  return `${signed}.${createHmac('sha256', by).update(signed).digest('base64url')}`
}

const read = (token: string, secrets = [secret]) =>
  readMemberToken({ token, secrets, audience: channelId, nowSeconds: now })
const checkOf = (token: string) => {
  const reading = read(token)
  return reading.is === 'refused' ? reading.check : reading.is
}

test('WC20 a member is who the shop has signed, with all that is said of them; during a change of the secret, by either', () => {
  const { sub, exp, name, email } = right
  assert.deepEqual(read(make(right)), { is: 'member', member: { sub, exp, name, email } })
  assert.deepEqual(read(make({ sub, aud: channelId, exp })), {
    is: 'member',
    member: { sub, exp, name: null, email: null },
  })
  assert.equal(read(make(right), ['another', secret]).is, 'member')
  assert.equal(read(make(right), []).is, 'refused')
})

test('WC20 what is not signed with HS256 by the secret, or says too much, too little or of another channel, is refused', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const rsa = `${encode({ alg: 'RS256' })}.${encode(right)}`
  const without = (name: keyof typeof right) => ({ ...right, [name]: undefined })
  const cases: [string, string][] = [
    [make(right, undefined, 'wrong'), 'signature'],
    [make(right, undefined, ''), 'signature'],
    [make(right, { alg: 'none' }), 'alg'],
    [make(right, { alg: 'hs256' }), 'alg'],
    [make(right, { alg: 'HS512' }), 'alg'],
    [`${encode({ alg: 'none' })}.${encode(right)}.`, 'form'],
    [`${rsa}.${sign('sha256', Buffer.from(rsa), privateKey).toString('base64url')}`, 'form'],
    [`${encode({ alg: 'HS256' })}.${encode(right)}.`, 'form'],
    [make({ ...right, exp: now }), 'expired'],
    [make({ ...right, exp: now - 10 }), 'expired'],
    [make({ ...right, exp: now + 10 * 86_400 }), 'exp'],
    [make({ ...right, exp: String(now + 9) }), 'exp'],
    [make(without('exp')), 'exp'],
    [make({ ...right, nbf: now + 900 }), 'nbf'],
    [make({ ...right, aud: other }), 'aud'],
    [make({ ...right, aud: [channelId] }), 'aud'],
    [make(without('aud')), 'aud'],
    [make({ ...right, sub: '' }), 'sub'],
    [make({ ...right, sub: 'x'.repeat(129) }), 'sub'],
    [make({ ...right, sub: 'a\0b' }), 'sub'],
    [make({ ...right, sub: 7 }), 'sub'],
    [make(without('sub')), 'sub'],
    [make({ ...right, name: ['Ana'] }), 'name'],
    [make({ ...right, name: 'x'.repeat(3_000) }), 'form'],
    ['x'.repeat(1_000_000), 'form'],
    [`${encode([])}.${encode(null)}.${'A'.repeat(43)}`, 'alg'],
  ]
  for (const [token, expected] of cases) assert.equal(checkOf(token), expected, token.slice(0, 90))
  const token = make(right)
  for (let at = 0; at < token.length; at += 7) {
    const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
    // The last character of 32 bytes has bits that say nothing.
    if (at < token.length - 1) assert.notEqual(read(changed).is, 'member', String(at))
  }
})
