// WC16 and WC17 in small; in full size, with 1,000 requests a second for minutes: `npm run soak -- --only strangers`

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usualCaps } from '@patchbay/contract/chat/settings.ts'
import { until } from '../../helpers/until.ts'
import { contactsOf, startChatWorld } from '../../helpers/website-chat/chat-world.ts'

const statusesOf = (answers: { status: number }[]) => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

test('WC16 one address makes 20 contacts and is then told when to come back, without a line for each in the log; others write on', async () => {
  await using world = await startChatWorld()
  const address = '203.0.113.7'
  const answers = await Promise.all(Array.from({ length: 300 }, () => world.visitor({ address }).post('spam')))
  assert.equal(statusesOf(answers)[201], 20)
  assert.equal(statusesOf(answers)[429], 280)
  const refused = answers.find(({ status }) => status === 429)
  assert.ok(Number(refused?.headers['retry-after']) > 0)
  assert.deepEqual(
    [refused?.body.reason, refused?.headers['access-control-allow-origin']],
    ['slow down', 'https://shop.example'],
  )
  assert.equal((await world.visitor().post('honest')).status, 201)
  assert.equal((await world.visitor({ address: '203.0.113.8' }).post('their neighbour')).status, 201)
  assert.equal((await contactsOf(world)).length, 22)
  assert.ok(world.app.log.filter((line) => line.includes('/chat/')).length < 40, 'no line for each')
  assert.ok(!world.app.log.some((line) => line.includes('203.0.113')), 'no address')
  await until(async () => {
    const [row] = await world.app.db.selectFrom('chatDays').selectAll().execute()
    return row?.contacts === 22 && row.messages === 22 && row.refused === 280 && row.refusedPace === 280
  }, 'the day is not counted')
})

test('WC17 a channel lets in as many new people a day as its owner says, over two processes; who is known and members write on', async () => {
  const settings = { caps: { ...usualCaps, contactsADay: 7 } }
  await using world = await startChatWorld({ settings })
  await using second = await startChatWorld({}, world)
  const known = world.visitor()
  assert.equal((await known.post('first')).status, 201)
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => world.visitor({ at: n % 2 ? world.app : second.app }).post('flood')),
  )
  assert.deepEqual(statusesOf(answers), { 201: 6, 429: 34 })
  assert.equal(answers.find(({ status }) => status === 429)?.body.reason, 'full')
  assert.equal((await known.post('second')).status, 201)
  assert.equal((await contactsOf(world)).length, 7)
  const [row] = await world.app.db.selectFrom('chatDays').select('contacts').execute()
  assert.equal(row?.contacts, 7)
})

test('a visitor who writes too much is told so, and what they sent before it stays', async () => {
  await using world = await startChatWorld()
  const visitor = world.visitor()
  const answers = []
  for (let n = 0; n < 25; n += 1) answers.push(await visitor.post(`${n}`))
  assert.deepEqual(statusesOf(answers), { 201: 20, 429: 5 })
  assert.equal((await visitor.read()).messages.length, 20)
})
