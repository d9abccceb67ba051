import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../helpers/until.ts'
import { contactsOf, startChatWorld } from '../../helpers/website-chat/chat-world.ts'

test('blocked by a person: the window ends, nothing is taken, and with their network nobody new; others and an unblocked one go on', async () => {
  await using world = await startChatWorld()
  const { owner, channelId } = world
  const here = '192.0.2.7' // that of no other test: a server that is shared counts by address
  const visitor = world.visitor({ address: here })
  const neighbour = world.visitor({ address: here })
  await visitor.post('Buy followers')
  await neighbour.post('Hello')
  const [contactId] = await contactsOf(world)
  const window = await visitor.listen()
  const path = `/api/conversations/${contactId}`
  const { status } = await owner.call('POST', `${path}/block`, { channelId, alsoNetwork: true })
  assert.equal(status, 200)
  await window.untilEvent('end')
  const refused = await visitor.post('Buy more')
  assert.deepEqual([refused.status, refused.body.reason], [403, 'closed'])
  await until(
    async () => (await world.visitor({ address: here }).post('I am new')).status === 403,
    'somebody new comes from there',
  )
  assert.equal((await neighbour.post('I was here before')).status, 201)
  assert.equal((await world.visitor().post('I am elsewhere')).status, 201)
  await owner.call('POST', `${path}/unblock`, { channelId })
  await until(async () => (await visitor.post('Sorry')).status === 201, 'who is unblocked cannot write')

  // A program that writes and reads nothing.
  const there = '203.0.114.7'
  await world.visitor({ address: there }).post('Buy followers')
  const program = (await contactsOf(world)).at(-1)
  await owner.call('POST', `/api/conversations/${program}/block`, { channelId, alsoNetwork: true })
  await until(
    async () => (await world.visitor({ address: there }).post('Buy more')).status === 403,
    'somebody new comes from where the program is',
  )
})

test('a visitor sees that a person writes to them, and nothing of it is kept', async () => {
  await using world = await startChatWorld()
  const { owner, channelId, app } = world
  const [visitor, other] = [world.visitor(), world.visitor()]
  await visitor.post('Hello')
  const [contactId] = await contactsOf(world)
  await other.post('Hello')
  const [window, otherWindow] = [await visitor.listen(), await other.listen()]
  const events = () => app.db.selectFrom('conversationEvents').select('id').execute()
  const before = await events()
  const { status } = await owner.call('POST', `/api/conversations/${contactId}/typing`, { channelId })
  assert.equal(status, 200)
  const { data } = await window.untilEvent('typing')
  assert.equal('by' in data && data.by, 'person')
  assert.equal(otherWindow.text().includes('typing'), false)
  assert.deepEqual(await events(), before)
})
