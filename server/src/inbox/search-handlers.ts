import type { Handlers } from '../app-api/handlers.ts'
import { findChannels } from '../contacts/channel-store.ts'
import type { Db } from '../platform/database/db.ts'
import { findLists, findMessages, findPeople } from './search-store.ts'

/** Words of messages are searched from so many characters on. */
const leastCharacters = 3

export function searchHandlers(db: Db): Pick<Handlers, 'GET /api/search'> {
  return {
    'GET /api/search': async ({ session: { accountId }, query }) => {
      const q = query.q.trim()
      if (q === '') return { people: [], lists: [], messages: [] }
      const people = await findPeople(db, accountId, q)
      const lists = await findLists(db, accountId, q)
      const messages = [...q].length < leastCharacters ? [] : await findMessages(db, accountId, q)
      const labels = [...people, ...messages].flatMap(({ channel }) => channel ?? [])
      const channelOf = await findChannels(db, accountId, labels)
      return {
        people: people.map(({ channel, ...person }) => ({
          ...person,
          channel: channel === null ? null : channelOf(channel),
          hasConversation: channel !== null,
        })),
        lists,
        messages: messages.map((message) => ({ ...message, channel: channelOf(message.channel) })),
      }
    },
  }
}
