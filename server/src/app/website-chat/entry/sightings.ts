import { sql } from 'kysely'
import { BoundedMap } from '../../../platform/collections.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { Log } from '../../../platform/log.ts'
import type { OnChat } from '../visitors/visitor-store.ts'

export type Sightings = {
  /** The chat is on a page of this host. */
  seen: (chat: OnChat, host: string) => void
  /** A page that it may not be on has asked for it. */
  refused: (chat: OnChat, origin: string) => void
}

const onceInMs = 60_000
const mostKept = 10_000
const mostCharacters = 260

/** Notes where chats are, at most once a minute each. Nobody waits for it. */
export function openSightings(db: Db, log: Log, now: () => number = Date.now): Sightings {
  const noted = new BoundedMap<string, number>(mostKept)
  const note = (chat: OnChat, what: 'seen' | 'refused', where: string) => {
    const key = `${what} ${chat.channelId}`
    if (now() - (noted.get(key) ?? Number.NEGATIVE_INFINITY) < onceInMs) return
    noted.set(key, now())
    const write = what === 'seen' ? writeSeen : writeRefused
    write(db, chat, where.slice(0, mostCharacters)).catch((error) =>
      log.debug({ reason: String(error) }, 'where a chat was seen is not noted'),
    )
  }
  return {
    seen: (chat, host) => note(chat, 'seen', host),
    refused: (chat, origin) => note(chat, 'refused', origin),
  }
}

async function writeSeen(db: Db, { accountId, channelId }: OnChat, host: string): Promise<void> {
  await sql`
    insert into chat_pages as p (account_id, channel_id, seen_host, seen_at)
    select account_id, id, ${host}, now() from channels where account_id = ${accountId} and id = ${channelId}
    on conflict (account_id, channel_id) do update set seen_host = excluded.seen_host, seen_at = excluded.seen_at
    where p.seen_at is null or p.seen_at < now() - interval '1 minute'
  `.execute(db)
}

async function writeRefused(db: Db, { accountId, channelId }: OnChat, origin: string): Promise<void> {
  await sql`
    insert into chat_pages as p (account_id, channel_id, refused_origin, refused_at)
    select account_id, id, ${origin}, now() from channels where account_id = ${accountId} and id = ${channelId}
    on conflict (account_id, channel_id) do update set refused_origin = excluded.refused_origin, refused_at = excluded.refused_at
    where p.refused_at is null or p.refused_at < now() - interval '1 minute'
  `.execute(db)
}
