import assert from 'node:assert/strict'
import type { Message, ThreadPage } from '@patchbay/contract/app/messages.ts'
import type { Static } from 'typebox'
import { until } from '../until.ts'
import type { ChannelWorld } from './channel-world.ts'

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
