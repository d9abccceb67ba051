import type { Handlers } from '../app-api/handlers.ts'
import { findChannels } from '../contacts/channel-store.ts'
import type { Db } from '../platform/database/db.ts'
import type { AccountId } from '../platform/ids.ts'
import { findLines, readWanted } from '../search/find-messages.ts'
import { excerptOf } from '../search/text/excerpt.ts'
import { type FoundMessage, findLists, findPeople, mostFound, readMessages } from './search-store.ts'

export function searchHandlers(db: Db): Pick<Handlers, 'GET /api/search'> {
  return {
    'GET /api/search': async ({ session: { accountId }, query }) => {
      // PostgreSQL takes no NUL, and no stored text has one.
      const q = query.q.replaceAll('\0', '').trim()
      const isFirst = query.before === undefined
      const people = q === '' || !isFirst ? [] : await findPeople(db, accountId, q)
      const lists = q === '' || !isFirst ? [] : await findLists(db, accountId, q)
      const { messages, next } = await findMessages(db, accountId, { q, before: query.before })
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
        next,
      }
    },
  }
}

type Found = Omit<FoundMessage, 'body'> & { text: string }

/** The newest messages with all words of `q`. Null: none of them is long enough to be looked up. */
async function findMessages(
  db: Db,
  accountId: AccountId,
  { q, before }: { q: string; before: string | undefined },
): Promise<{ messages: Found[] | null; next: string | null }> {
  const wanted = readWanted(accountId, q)
  if (!wanted) return { messages: null, next: null }
  const { lines, next } = await findLines(db, accountId, wanted, { before, limit: mostFound })
  const ids = lines.map(({ messageId }) => messageId)
  const found = ids.length === 0 ? [] : await readMessages(db, accountId, ids)
  let lookAt = mostLookedAt
  const messages = found.map(({ body, ...message }) => {
    const text = excerptOf(body, wanted.words, lookAt)
    lookAt = Math.max(0, lookAt - body.length)
    return { ...message, text }
  })
  return { messages, next }
}

/**
 * Characters in which the words are looked for to show the place: some 30 ms. Of the messages of 64 KiB after that, the
 * beginning is shown.
 */
const mostLookedAt = 32_768
