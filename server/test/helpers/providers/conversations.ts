import assert from 'node:assert/strict'
import type { Message } from '@patchbay/contract/app/messages.ts'
import type { AccountId } from '../../../src/platform/ids.ts'
import { until } from '../until.ts'
import { type ChannelWorld, connectBot } from './channel-world.ts'
import type { Bot, Person } from './telegram.ts'

/** A person who has written to a connected bot, and the conversation that a person of the shop has. */
export async function startConversation(world: ChannelWorld, bot: Bot = world.telegram.addBot()) {
  const channel = await connectBot(world.owner, bot)
  const ana = bot.addPerson({ first_name: 'Ana' })
  const contactId = await begin(world, ana)
  return { channel, bot, ana, contactId }
}

/** A person writes for the first time, and somebody of the shop takes the conversation over. */
export async function begin({ app, owner, shop }: ChannelWorld, person: Person): Promise<string> {
  // Else, on a slow machine, it answers before somebody takes over.
  const letBotAnswer = (botActive: boolean) =>
    app.db.updateTable('accounts').set({ botActive }).where('id', '=', shop.accountId).execute()
  await letBotAnswer(false)
  person.write('Hello')
  const find = async () => {
    const rows = await app.db.selectFrom('contactAddresses').selectAll().execute()
    return rows.find(({ address }) => address === String(person.chatId))
  }
  await until(async () => (await find()) !== undefined, 'the message did not come')
  const contactId = (await find())?.contactId ?? ''
  assert.equal((await owner.call('POST', `/api/conversations/${contactId}/takeover`, {})).status, 200)
  await letBotAnswer(true)
  return contactId
}

/** They all write for the first time, and the bot leaves everybody to people. Their contacts, in this order. */
export async function beginAll(
  { app, shop }: { app: ChannelWorld['app']; shop: { accountId: AccountId } },
  people: Person[],
): Promise<string[]> {
  await app.db.updateTable('accounts').set({ botActive: false }).where('id', '=', shop.accountId).execute()
  for (const person of people) person.write('Hello')
  const find = () => app.db.selectFrom('contactAddresses').select(['address', 'contactId']).execute()
  const idOf = (rows: Awaited<ReturnType<typeof find>>, { chatId }: Person) =>
    rows.find(({ address }) => address === String(chatId))?.contactId
  await until(async () => {
    const rows = await find()
    return people.every((person) => idOf(rows, person))
  }, 'not all first messages came')
  const rows = await find()
  return people.map((person) => idOf(rows, person) ?? '')
}

let replies = 0

/** What somebody of the shop types, or sends as a file. */
export async function reply(
  { owner }: Pick<ChannelWorld, 'owner'>,
  contactId: string,
  body: string | undefined,
  more: { channelId?: string; fileId?: string } = {},
): Promise<Message> {
  const { status, body: answer } = await owner.call('POST', `/api/conversations/${contactId}/replies`, {
    body,
    clientId: newClientId(),
    ...more,
  })
  assert.equal(status, 200, JSON.stringify(answer))
  return answer
}

export function newClientId(): string {
  replies += 1
  return `client-id-of-reply-${replies}`
}

/** What was or is to be sent, a row for each part. */
export const outgoing = ({ app }: Pick<ChannelWorld, 'app'>) =>
  app.db
    .selectFrom('deliveries as d')
    .innerJoin('messages as m', (join) => join.onRef('m.accountId', '=', 'd.accountId').onRef('m.id', '=', 'd.id'))
    .leftJoin('deliveryParts as p', (join) =>
      join.onRef('p.accountId', '=', 'd.accountId').onRef('p.deliveryId', '=', 'd.id'),
    )
    .select([
      'm.body',
      'd.sentAt',
      'd.dueAt',
      'd.errorCategory',
      'd.errorDetail',
      'd.attempts',
      'd.doubtSince',
      'd.lastUrl',
    ])
    .select(['p.resentAt', 'p.providerId', 'p.attempts as partAttempts', 'p.waits'])
    .orderBy('m.outgoingSeq')
    .orderBy('p.n')
    .execute()

export const untilSent = (world: Pick<ChannelWorld, 'app'>, count: number) =>
  until(
    async () => (await outgoing(world)).filter(({ sentAt }) => sentAt !== null).length === count,
    'not all was sent',
  )
