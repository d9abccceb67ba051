import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CampaignFile } from '@patchbay/contract/campaigns.ts'
import { sql } from 'kysely'
import type { ContactId } from '../../../src/platform/ids.ts'
import { untilAnswered } from '../../helpers/bots.ts'
import { startDelivering } from '../../helpers/deliveries.ts'
import { startInbox } from '../../helpers/inbox.ts'
import { makeChat, openWriting } from '../../helpers/strangers.ts'
import { teachHours } from '../../helpers/two-answers.ts'

/** A shop with a website chat; `ask` returns what the bot says to it, if anything. */
async function startChat(settings: CampaignFile = {}) {
  const inbox = await startInbox(startDelivering())
  const { app, account, owner } = inbox
  const { accountId } = account
  await teachHours(app, account, settings)
  const write = openWriting(app.db, { accountId, channelId: await makeChat(owner) })
  const ask = async (who: string, body: string, over = {}) => {
    const contactId = await write(who, body, over)
    await untilAnswered(app)
    return said(contactId)
  }
  const said = async (contactId: ContactId) => {
    const [last] = await app.db
      .selectFrom('messages')
      .select(['author', 'body', 'id'])
      .where('contactId', '=', contactId)
      .orderBy('seq', 'desc')
      .execute()
    return last?.author === 'bot' ? last : undefined
  }
  return { ...inbox, write, ask }
}

test('what the bot offers are buttons, and a tap on one is answered with its entry if it was offered to them', async () => {
  await using chat = await startChat()
  const { app, ask } = chat
  const offer = await ask('ana', 'opening hours')
  assert.match(offer?.body ?? '', /^Did you mean one of these/)
  const part = await app.db.selectFrom('deliveryParts').select('content').executeTakeFirstOrThrow()
  const { choices } = part.content as { choices: { id: string; title: string }[] }
  assert.deepEqual(choices.map(({ title }) => title).sort(), [
    'What are your opening hours at the weekend?',
    'What are your opening hours on weekdays?',
  ])
  const weekend = choices.find(({ title }) => title.includes('weekend'))
  const data = { choice: weekend?.id }
  // The title is what the tap says; here it is no help.
  assert.equal((await ask('ana', 'stop', { data }))?.body, 'From 10 to 4.')
  assert.equal((await ask('ben', 'xyz', { data }))?.body, 'No idea.', 'somebody who was not offered it')
  assert.equal((await ask('ana', 'From 10 to 4.'))?.author, 'bot', 'who says our own words is answered')
  const optedOut = await app.db.selectFrom('contacts').select('id').where('optedOutAt', 'is not', null).execute()
  assert.deepEqual(optedOut, [])
})

test('the bot says once what it is, because the chat shows beside each message who speaks', async () => {
  await using chat = await startChat({ introduction: 'I am a bot.', greetingText: 'Welcome.' })
  const { app, owner, ask } = chat
  const first = await ask('ana', 'Hello')
  assert.equal(first?.body, 'I am a bot.\n\nWelcome.')
  await sql`update messages set created_at = created_at - interval '3 days'`.execute(app.db)
  assert.equal((await ask('ana', 'Hello'))?.body, 'Welcome.', 'days later')
  const { contactId } = await app.db.selectFrom('conversations').select('contactId').executeTakeFirstOrThrow()
  const path = `/api/conversations/${contactId}`
  await owner.ok('POST', `${path}/replies`, { body: 'Ben here.', clientId: 'client-id-of-the-reply' })
  await owner.ok('POST', `${path}/handback`, { answersOld: false })
  assert.equal((await ask('ana', 'Hello'))?.body, 'Welcome.', 'after a person')
  assert.equal((await ask('ben', 'Hello'))?.body, 'I am a bot.\n\nWelcome.', 'somebody else')
})

test('a file without a word is left to a person', async () => {
  await using chat = await startChat()
  const file = { reference: { id: 'f' }, contentType: 'image/png', fileName: 'a.png', sizeBytes: 9, isTooLarge: true }
  assert.equal(await chat.ask('ana', '', { file }), undefined)
  const { waitingReason } = await chat.app.db
    .selectFrom('conversations')
    .select('waitingReason')
    .executeTakeFirstOrThrow()
  assert.equal(waitingReason, 'file_only')
})
