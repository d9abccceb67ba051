import assert from 'node:assert/strict'
import type { Message, ThreadPage } from '@patchbay/contract/app/messages.ts'
import type { Static } from 'typebox'
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

async function begin({ app, owner }: ChannelWorld, person: Person): Promise<string> {
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

export async function reply({ owner }: ChannelWorld, contactId: string, body: string): Promise<string> {
  replies += 1
  const { status, body: answer } = await owner.call('POST', `/api/conversations/${contactId}/replies`, {
    body,
    clientId: `client-id-of-reply-${replies}`,
  })
  assert.equal(status, 200, JSON.stringify(answer))
  return answer.id
}

/** The conversation as the app shows it. */
export async function readThread({ owner }: ChannelWorld, contactId: string): Promise<Static<typeof ThreadPage>> {
  const { status, body } = await owner.call('GET', `/api/conversations/${contactId}/messages`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** Waits until a message of the conversation is as it should be, and returns it. */
export async function untilShownAs(
  world: ChannelWorld,
  contactId: string,
  [isIt, otherwise]: [isIt: (message: Message) => unknown, otherwise: string],
): Promise<Message> {
  let found: Message | undefined
  await until(async () => {
    found = (await readThread(world, contactId)).messages.findLast(isIt)
    return found !== undefined
  }, otherwise)
  return found as Message // until() has seen it
}
