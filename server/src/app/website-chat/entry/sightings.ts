import { sql } from 'kysely'
import { noteStrangers } from '../../../journey/channels/own-store.ts'
import { lookSoon } from '../../../journey/channels/store.ts'
import { BoundedMap } from '../../../platform/collections.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { Log } from '../../../platform/log.ts'
import type { Warning } from '../limits/warnings.ts'
import type { OnChat } from '../visitors/visitor-store.ts'

export type Sightings = {
  /** The chat is on a page of this host. */
  seen: (chat: OnChat, host: string) => void
  /** A page that it may not be on has asked for it. */
  refused: (chat: OnChat, origin: string) => void
  /** Something that its owner has to know. */
  warn: (chat: OnChat, warning: Warning) => void
  /** What it may have in a day may be used up. */
  full: (chat: OnChat) => void
}

const onceInMs = 60_000
const mostKept = 10_000
const mostCharacters = 260

/** Notes where chats are, at most once a minute each. Nobody waits for it. */
export function openSightings(db: Db, log: Log, now: () => number = Date.now): Sightings {
  const noted = new BoundedMap<string, number>(mostKept)
  const note = (chat: OnChat, what: keyof typeof writers, where: string) => {
    const key = `${what} ${chat.channelId}`
    if (now() - (noted.get(key) ?? Number.NEGATIVE_INFINITY) < onceInMs) return
    noted.set(key, now())
    writers[what](db, chat, where.slice(0, mostCharacters)).catch((error) =>
      log.debug({ reason: String(error) }, 'where a chat was seen is not noted'),
    )
  }
  return {
    seen: (chat, host) => note(chat, 'seen', host),
    refused: (chat, origin) => note(chat, 'refused', origin),
    warn: (chat, warning) => note(chat, warning, ''),
    full: (chat) => note(chat, 'full', ''),
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

/** What it says of the channel is looked at as soon as it is the case, and not again while it lasts. */
const writeWarning =
  (warning: Warning) =>
  async (db: Db, { accountId, channelId: id }: OnChat) => {
    if (await noteStrangers(db, { accountId, id }, warning)) await lookSoon(db, { accountId, id })
  }

const writers = {
  ...{ seen: writeSeen, refused: writeRefused, forged: writeWarning('forged'), hidden: writeWarning('hidden') },
  full: (db: Db, { accountId, channelId: id }: OnChat) => lookSoon(db, { accountId, id }),
}
