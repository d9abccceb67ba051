import type { Handlers } from '../../business/sessions/handlers.ts'
import { findChannels } from '../../people/contacts/channel-store.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { findLines, readWanted } from '../search/find-messages.ts'
import { excerptOf, marksOf } from '../search/text/excerpt.ts'
import { type FoundMessage, findLists, findPeople, mostFound, readMessages } from './search-store.ts'

export function searchHandlers(db: Db): Pick<Handlers, 'GET /api/search' | 'GET /api/search/count'> {
  return {
    'GET /api/search': async ({ session: { accountId }, query }) => {
      const q = textOf(query.q)
      const isFirst = query.before === undefined && query.older === undefined
      const found = q === '' || !isFirst ? [] : await findPeople(db, accountId, q)
      const people = found.slice(0, mostFound)
      const lists = q === '' || !isFirst ? [] : await findLists(db, accountId, q)
      const { messages, next } = await findMessages(db, accountId, { q, before: query.before, older: query.older })
      const labels = [...people, ...(messages ?? [])].flatMap(({ channel }) => channel ?? [])
      const channelOf = await findChannels(db, accountId, labels)
      return {
        people: people.map(({ channel, ...person }) => ({
          ...person,
          channel: channel === null ? null : channelOf(channel),
          hasConversation: channel !== null,
        })),
        hasMorePeople: found.length > people.length,
        lists: lists.slice(0, mostFound),
        hasMoreLists: lists.length > mostFound,
        messages: messages?.map((message) => ({ ...message, channel: channelOf(message.channel) })) ?? null,
        next,
      }
    },
    'GET /api/search/count': async ({ session: { accountId }, query }) => {
      const wanted = readWanted(accountId, textOf(query.q))
      if (!wanted) return { count: 0, next: null }
      const { lines, next } = await findLines(db, accountId, wanted, { before: query.before, limit: mostCounted })
      return { count: lines.length, next }
    },
  }
}

/** More messages than anybody looks through. */
const mostCounted = 1_000

/** PostgreSQL takes no NUL, and no stored text has one. */
const textOf = (q: string) => q.replaceAll('\0', '').trim()

type MessageHit = Omit<FoundMessage, 'body'> & { text: string; marks: ReturnType<typeof marksOf> }

/** The newest messages with all words of `q`. Null: none of them is long enough to be looked up. */
async function findMessages(
  db: Db,
  accountId: AccountId,
  { q, before, older }: { q: string; before: string | undefined; older: string | undefined },
): Promise<{ messages: MessageHit[] | null; next: string | null }> {
  const wanted = readWanted(accountId, q)
  if (!wanted) return { messages: null, next: null }
  const { lines, next } = await findLines(db, accountId, wanted, { before, olderThan: older, limit: mostFound })
  const ids = lines.map(({ messageId }) => messageId)
  const found = ids.length === 0 ? [] : await readMessages(db, accountId, ids)
  let lookAt = mostLookedAt
  const messages = found.map(({ body, ...message }) => {
    const text = excerptOf(body, wanted.words, lookAt)
    lookAt = Math.max(0, lookAt - body.length)
    return { ...message, text, marks: marksOf(text, wanted.words) }
  })
  return { messages, next }
}

/**
 * Characters in which the words are looked for to show the place: some 30 ms. Of the messages of 64 KiB after that, the
 * beginning is shown.
 */
const mostLookedAt = 32_768
