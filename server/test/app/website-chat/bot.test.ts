import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usualCaps } from '@patchbay/contract/chat/settings.ts'
import { defaultCampaign, editCampaign, makeTurnsDue, startModel } from '../../helpers/bots.ts'
import { until } from '../../helpers/until.ts'
import { contactsOf, startChatWorld } from '../../helpers/website-chat/chat-world.ts'

test('a visitor sees that the bot writes, and then what it says', async () => {
  await using model = await startModel()
  await using world = await startChatWorld({ ROLE: 'all', OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' })
  const { app, shop } = world
  await editCampaign(app, await defaultCampaign(app, shop), { ...model.file, introduction: null })
  const ana = world.visitor()
  assert.equal((await ana.post('Do you deliver?')).status, 201)
  using panel = await ana.listen()
  await panel.untilEvent('hello')
  await makeTurnsDue(app.db)
  const question = await model.next()
  const { data } = await panel.untilEvent('typing')
  assert.equal('by' in data && data.by, 'bot')
  question.answer('Yes, by bicycle.')
  await panel.untilTexts('Yes, by bicycle.')
  assert.equal(panel.messages().at(-1)?.from, 'bot')

  // While the chat is paused nothing can be said over it. Who wrote then is answered when it goes on, unless a person has them.
  const { owner, channelId } = world
  const path = `/api/channels/${channelId}`
  assert.equal((await owner.call('POST', `${path}/pause`, {})).status, 200)
  const ben = world.visitor()
  for (const visitor of [ana, ben]) assert.equal((await visitor.post('Even today?')).status, 201)
  await makeTurnsDue(app.db)
  const waiting = async () => {
    const rows = await app.db.selectFrom('conversations').select('waitingReason').orderBy('contactId').execute()
    return rows.map(({ waitingReason }) => waitingReason)
  }
  await until(async () => `${await waiting()}` === 'channel_paused,channel_paused', 'they do not wait')
  const ofBen = (await contactsOf(world)).at(-1)
  assert.equal((await owner.call('POST', `/api/conversations/${ofBen}/takeover`, {})).status, 200)
  assert.equal((await owner.call('POST', `${path}/resume`, {})).status, 200)
  const late = await model.next()
  assert.deepEqual(await waiting(), [null, null])
  late.answer('Even today.')
  await panel.untilTexts('Even today.')
  assert.equal((await app.db.selectFrom('turns').select('contactId').execute()).length, 0)
  assert.equal((await ben.read()).messages.length, 1)
})

test('forged tokens, and more newcomers than a day may have, call for the owner', async () => {
  await using world = await startChatWorld({
    ROLE: 'all',
    settings: { members: 'may', caps: { ...usualCaps, contactsADay: 1 } },
  })
  const { owner, channelId } = world
  const path = `/api/channels/${channelId}`
  assert.equal((await owner.call('POST', `${path}/secret`, {})).status, 200)
  const isFor = (reason: string) =>
    until(
      async () => (await owner.call('GET', path)).body.attention?.reason === reason,
      `nobody is called for ${reason}`,
    )
  assert.equal((await world.visitor().post('Hello')).status, 201)
  assert.equal((await world.visitor().post('Hello')).status, 429)
  await until(async () => {
    const { checks } = (await owner.call('GET', path)).body
    return checks.some(({ name, state }: { name: string; state: string }) => name === 'limits' && state === 'failing')
  }, 'the limit is not told')
  const head = Buffer.from('{"alg":"HS256"}').toString('base64url')
  const forger = world.visitor({ bearer: `j.${head}.e30.${'a'.repeat(43)}` })
  for (let n = 0; n < 5; n += 1) assert.equal((await forger.post('I am the boss')).body.reason, 'identity_refused')
  await isFor('forged identities')
  const { refused } = (await owner.call('GET', path)).body.chat.today
  assert.deepEqual(refused, { all: 6, page: 0, pace: 0, full: 1, forged: 5 })
})
