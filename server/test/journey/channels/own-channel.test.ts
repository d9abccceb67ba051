import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Channel } from '@patchbay/contract/app/channels.ts'
import { usualWebchat } from '@patchbay/contract/chat/settings.ts'
import { sql } from 'kysely'
import { memberSecretsOf, replaceMemberSecret, unsealCredentials } from '../../../src/journey/channels/credentials.ts'
import { pruneChatDays } from '../../../src/journey/channels/own-store.ts'
import { findChannel, holdAll } from '../../../src/journey/channels/store.ts'
import { secretKey, sharedApp } from '../../helpers/harness.ts'
import { makeChat, startOwnWorld } from '../../helpers/own-channels.ts'
import { readChannel } from '../../helpers/providers/channel-world.ts'
import { signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

const stateOf = ({ checks }: Channel) => Object.fromEntries(checks.map(({ name, state }) => [name, state]))

test('a chat is made of its pages alone, works at once where pages can fetch it, and shows the line, its settings and its day', async () => {
  await using world = await startOwnWorld()
  const { app, owner, shop, channel } = world
  const { name, address, state, isHeld, chat, kind } = channel
  assert.deepEqual(
    [kind, name, address, state, isHeld],
    ['webchat', 'Website chat', 'localhost:3000', 'working', false],
  )
  assert.deepEqual(chat?.settings, { ...usualWebchat, pages: ['localhost:3000'] })
  assert.match(chat?.line ?? '', new RegExp(`^<script async src="https?://[^"]+/chat/${channel.id}\\.js"></script>$`))
  const refused = { all: 0, page: 0, pace: 0, full: 0, forged: 0 }
  const nothing = { contacts: 0, messages: 0, fileBytes: 0, modelAnswers: 0, refused }
  assert.deepEqual([chat?.secretMadeAt, chat?.seen, chat?.refused, chat?.today], [null, null, null, nothing])
  assert.deepEqual(stateOf(channel), { address: 'done', pages: 'done', seen: 'waits', 'first message': 'waits' })

  const row = { accountId: shop.accountId, channelId: channel.id as `chn_${string}` }
  await sql`
    insert into chat_pages (account_id, channel_id, seen_host, seen_at, refused_origin, refused_at)
    values (${row.accountId}, ${row.channelId}, 'localhost:3000', now(), 'https://other.example', now())
  `.execute(app.db)
  await sql`
    insert into chat_days (account_id, channel_id, day, contacts, messages, file_bytes)
    values (${row.accountId}, ${row.channelId}, (now() at time zone 'utc')::date, 2, 7, 5000000000),
      (${row.accountId}, ${row.channelId}, current_date - 1, 9, 9, 9), (${row.accountId}, ${row.channelId}, current_date - 92, 1, 1, 1)
  `.execute(app.db)
  const { body: checked } = await owner.call('POST', `/api/channels/${channel.id}/check`, {})
  const found = { address: 'done', pages: 'done', seen: 'done', 'first message': 'waits' }
  assert.deepEqual(stateOf(checked), { ...found, limits: 'failing' }, 'files have used the day up')
  assert.deepEqual(checked.chat.today, { ...nothing, contacts: 2, messages: 7, fileBytes: 5_000_000_000 })
  assert.deepEqual([checked.chat.seen.host, checked.chat.refused.origin], ['localhost:3000', 'https://other.example'])
  assert.equal(await pruneChatDays(app.db), 1)
})

test('settings change by themselves, with the version that was seen; bad ones are refused by name and change nothing', async () => {
  await using world = await startOwnWorld()
  const { owner, channel } = world
  const path = `/api/channels/${channel.id}`
  const change = (body: object) => owner.call('PATCH', path, { version: channel.version, ...body })
  for (const [body, words] of [
    [{ settings: { pages: [] } }, /pages/],
    [{ settings: { pages: ['*'] } }, /settings\.pages must name hosts/],
    [{ settings: { colour: 'red' } }, /colour has not the right form/],
    [{ settings: { members: 'perhaps' } }, /members must be one of: off,may,must/],
    [{ settings: { color: '#000000' } }, /^settings\.color is not a field that is known here; leave it out\.$/],
    [{ settings: { hours: { zone: 'Moon', windows: [], closed: [] } } }, /no time zone "Moon"/],
    [{ settings: { caps: { contactsAMinute: 5 } } }, /caps/],
    [{ settings: { campaignId: 'cmp_x' } }, /There is no campaign cmp_x/],
    [{ credentials: { token: 'x' } }, /credentials is of channels that have a provider/],
    [{ perSecond: 3 }, /perSecond is of channels/],
    [{ version: 9, settings: { colour: '#000000' } }, /Somebody else has changed/],
  ] as const) {
    const { status, body: answer } = await change(body)
    assert.ok([400, 404, 409].includes(status), JSON.stringify(answer))
    assert.match(answer.error.message, words)
  }
  assert.equal((await readChannel(owner, channel.id)).version, channel.version)

  const words = { de: { greeting: 'Hallo!', button: '', privacy: 'Mehr', privacyUrl: 'https://shop.example/privacy' } }
  const hours = { zone: 'Europe/Berlin', windows: [{ day: 1, from: '08:30', to: '17:00' }], closed: ['2026-12-25'] }
  const given = { pages: ['Shop.Example'], keeps: 'tab', words, hours }
  const { status, body } = await change({ name: 'Kettle Lane', settings: given })
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([body.name, body.address, body.version], ['Kettle Lane', 'shop.example', channel.version + 1])
  assert.deepEqual(body.chat.settings, { ...usualWebchat, ...given, pages: ['shop.example'] })
  // The address is one of this machine, and no page is there any more.
  assert.deepEqual([body.state, body.attention?.reason], ['attention', 'no address'])
})

test('kinds are not mixed up: a chat takes no token, a bot no settings, and each says what it needs', async () => {
  await using world = await startOwnWorld()
  const connect = async (body: object) => (await world.owner.call('POST', '/api/channels', body)).body.error.message
  assert.match(await connect({ kind: 'webchat' }), /settings\.pages must name at least one page/)
  assert.match(
    await connect({ kind: 'webchat', settings: { pages: ['a.example'] }, credentials: {} }),
    /credentials is of/,
  )
  assert.match(await connect({ kind: 'telegram' }), /token must be/)
  assert.match(
    await connect({ kind: 'telegram', settings: { pages: ['a.example'] } }),
    /settings are of a website chat/,
  )
})

test('the secret for customers is shown once, sealed, and the one before counts for a day', async () => {
  await using world = await startOwnWorld()
  const { app, owner, shop, channel } = world
  const ref = { accountId: shop.accountId, id: channel.id as `chn_${string}` }
  const make = async () => {
    const { status, body } = await owner.call('POST', `/api/channels/${channel.id}/secret`, {})
    assert.equal(status, 200, JSON.stringify(body))
    return body as { secret: string; channel: Channel }
  }
  const first = await make()
  assert.equal(Buffer.from(first.secret, 'base64url').length, 32)
  assert.ok(Math.abs(Date.now() - Date.parse(first.channel.chat?.secretMadeAt ?? '')) < 60_000)
  const second = await make()
  assert.notEqual(second.secret, first.secret)

  const row = await findChannel(app.db, ref)
  assert.ok(row)
  assert.ok(![first, second].some(({ secret }) => JSON.stringify(row).includes(secret)))
  const credentials = unsealCredentials(secretKey, row)
  assert.ok(credentials)
  // Also where the answer with the second one never arrived, and a third was made.
  const third = replaceMemberSecret(credentials)
  const sealed = { now: third, before: undefined }
  assert.deepEqual(memberSecretsOf(credentials, Date.now()), [second.secret, first.secret])
  assert.deepEqual(memberSecretsOf(sealed, Date.now()), [third.secret, first.secret, second.secret])
  const inADay = Date.now() + 24 * 3_600_000
  assert.deepEqual(memberSecretsOf(sealed, inADay), [third.secret])
  assert.deepEqual(
    replaceMemberSecret(sealed, inADay).older.map(({ secret }) => secret),
    [third.secret],
  )
  const shown = [await readChannel(owner, channel.id), (await owner.call('GET', '/api/audit')).body]
  assert.ok(![first, second].some(({ secret }) => JSON.stringify(shown).includes(secret)))
  assert.match(JSON.stringify(shown[1]), /channel changed/)

  const other = await signIn(app, await app.makeAccount())
  assert.equal((await other.call('POST', `/api/channels/${channel.id}/secret`, {})).status, 404)
})

test('it is looked at by itself after its first message, paused, let go on, removed and there again like every channel', async () => {
  await using world = await startOwnWorld()
  const { app, owner, shop, channel } = world
  const path = `/api/channels/${channel.id}`
  await sql`update channels set last_event_at = now(), check_due_at = now()`.execute(app.db)
  await until(
    async () => stateOf(await readChannel(owner, channel.id))['first message'] === 'done',
    'it was not looked at after its first message',
  )
  assert.ok((await owner.call('POST', `${path}/pause`, {})).body.paused)
  assert.equal((await owner.call('POST', `${path}/resume`, {})).body.paused, null)
  const { status, body } = await owner.call('DELETE', path)
  assert.deepEqual([status, body], [200, { left: null }])
  assert.equal((await owner.call('GET', path)).status, 404)
  const ref = { accountId: shop.accountId, id: channel.id as `chn_${string}` }
  assert.deepEqual((await findChannel(app.db, ref))?.credentials, null)
  // Another one is another one: nobody else has its id. Only its account has it again, once, with what it had.
  assert.notEqual((await makeChat(owner)).id, channel.id)
  const { removed } = (await owner.call('GET', '/api/channels')).body
  assert.deepEqual(
    removed.map(({ id, name, address }: Record<string, string>) => [id, name, address]),
    [[channel.id, 'Website chat', 'localhost:3000']],
  )
  const other = await signIn(app, await app.makeAccount())
  const again = { kind: 'webchat', again: channel.id }
  assert.equal((await other.call('POST', '/api/channels', again)).status, 404)
  const answers = await Promise.all([1, 2].map(() => owner.call('POST', '/api/channels', again)))
  assert.deepEqual(answers.map((one) => one.status).toSorted(), [200, 409])
  const back = await readChannel(owner, channel.id)
  assert.deepEqual(
    [back.state, back.chat?.line, back.chat?.settings],
    ['working', channel.chat?.line, channel.chat?.settings],
  )
  assert.deepEqual((await owner.call('GET', '/api/channels')).body.removed, [])
  const { body: refused } = await owner.call('POST', '/api/channels', { ...again, kind: 'telegram' })
  assert.match(refused.error.message, /again is of a website chat/)
})

test('a restored copy does not hold it, and looks at it', async () => {
  await using app = await sharedApp()
  const owner = await signIn(app, await app.makeAccount())
  const channel = await makeChat(owner)
  await holdAll(app.db)
  assert.equal((await readChannel(owner, channel.id)).isHeld, false)
  assert.equal((await owner.call('POST', `/api/channels/${channel.id}/check`, {})).body.state, 'working')
})
