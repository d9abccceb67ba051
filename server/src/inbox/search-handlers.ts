import type { Handlers } from '../app-api/handlers.ts'
import { findChannels } from '../contacts/channel-store.ts'
import type { Db } from '../platform/database/db.ts'
import type { AccountId } from '../platform/ids.ts'
import { findLines, readWanted } from '../search/find-messages.ts'
import { excerptOf } from '../search/text/words.ts'
import { type FoundMessage, findLists, findPeople, mostFound, readMessages } from './search-store.ts'

export function searchHandlers(db: Db): Pick<Handlers, 'GET /api/search'> {
  return {
    'GET /api/search': async ({ session: { accountId }, query }) => {
      // PostgreSQL takes no NUL, and no stored text has one.
      const q = query.q.replaceAll('\0', '').trim()
      const people = q === '' ? [] : await findPeople(db, accountId, q)
      const lists = q === '' ? [] : await findLists(db, accountId, q)
      const messages = await findMessages(db, accountId, q)
      const labels = [...people, ...(messages ?? [])].flatMap(({ channel }) => channel ?? [])
      const channelOf = await findChannels(db, accountId, labels)
      return {
        people: people.map(({ channel, ...person }) => ({
          ...person,
          channel: channel === null ? null : channelOf(channel),
          hasConversation: channel !== null,
        })),
        lists,
        messages: messages?.map((message) => ({ ...message, channel: channelOf(message.channel) })) ?? null,
      }
    },
  }
}

type Found = Omit<FoundMessage, 'body'> & { text: string }

/** The newest messages with all words of `q`. Null: none of them is long enough to be looked up. */
async function findMessages(db: Db, accountId: AccountId, q: string): Promise<Found[] | null> {
  const wanted = readWanted(accountId, q)
  if (!wanted) return null
  const lines = await findLines(db, accountId, wanted, mostFound)
  const ids = lines.map(({ messageId }) => messageId)
  const messages = ids.length === 0 ? [] : await readMessages(db, accountId, ids)
  return messages.map(({ body, ...message }) => ({ ...message, text: excerptOf(body, wanted.words) }))
}
