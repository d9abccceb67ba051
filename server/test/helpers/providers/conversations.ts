import assert from 'node:assert/strict'
import type { Message } from '@patchbay/contract/app/messages.ts'
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
export async function begin({ app, owner }: ChannelWorld, person: Person): Promise<string> {
  person.write('Hello')
  const find = async () => {
    const rows = await app.db.selectFrom('contactAddresses').selectAll().execute()
    return rows.find(({ address }) => address === String(person.chatId))
  }
  await until(async () => (await find()) !== undefined, 'the message did not come')
  const contactId = (await find())?.contactId ?? ''
  assert.equal((await owner.call('POST', `/api/conversations/${contactId}/takeover`, {})).status, 200)
  return contactId
}

let replies = 0

/** What somebody of the shop types, or sends as a file. */
export async function reply(
  { owner }: ChannelWorld,
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
