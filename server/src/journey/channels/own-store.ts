import { providerKinds } from '@patchbay/contract/channels.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import { deleteInBatches } from '../../platform/database/prune.ts'
import type { AccountId, ChannelId } from '../../platform/ids.ts'
import type { ChannelRef } from './store.ts'

/** Where a channel of our own was met, and what this day has come to. */
export type OwnUse = {
  seenHost: string | null
  seenAt: Date | null
  refusedOrigin: string | null
  refusedAt: Date | null
  contacts: number
  messages: number
  fileBytes: number
  modelAnswers: number
  refused: number
  refusedPage: number
  refusedPace: number
  refusedFull: number
  forged: number
  openPanels: number
}

/** A process says every minute how many panels it has open: one that has not has died. */
const panelsCountFor = sql`interval '2 minutes 30 seconds'`

/** Of these channels, all of which are there. */
export async function readOwnUse(db: Db, accountId: AccountId, ids: ChannelId[]): Promise<Map<ChannelId, OwnUse>> {
  const { rows } = await sql<OwnUse & { id: ChannelId }>`
    select n.id, p.seen_host, p.seen_at, p.refused_origin, p.refused_at, coalesce(d.contacts, 0) as contacts,
      coalesce(d.messages, 0) as messages, coalesce(d.file_bytes, 0)::float8 as file_bytes,
      coalesce(d.model_answers, 0) as model_answers, coalesce(d.refused, 0) as refused,
      coalesce(d.refused_page, 0) as refused_page, coalesce(d.refused_pace, 0) as refused_pace,
      coalesce(d.refused_full, 0) as refused_full, coalesce(d.forged, 0) as forged,
      (select coalesce(sum(o.open), 0)::integer from chat_panels o
        where o.account_id = n.account_id and o.channel_id = n.id and o.at > now() - ${panelsCountFor}) as open_panels
    from channels n
    left join chat_pages p on p.account_id = n.account_id and p.channel_id = n.id
    left join chat_days d on d.account_id = n.account_id and d.channel_id = n.id
      and d.day = (now() at time zone 'utc')::date
    where n.account_id = ${accountId} and n.id = any (${ids})
  `.execute(db)
  return new Map(rows.map(({ id, ...use }) => [id, use]))
}

type Facts = { hasMember: boolean; isForged: boolean; isHidden: boolean }

/** So long something is said to be the case after it was seen last. */
const lasts = sql`interval '10 minutes'`

/** Whether a customer has written whom their shop had signed, and what strangers did a moment ago. */
export async function readOwnFacts(db: Db, { accountId, id }: ChannelRef): Promise<Facts> {
  const { rows } = await sql<Facts>`
    select exists (
        select from contact_addresses a
        where a.account_id = n.account_id and a.channel_id = n.id and a.kind = 'member'
      ) as has_member,
      coalesce(p.forged_at > now() - ${lasts}, false) as is_forged,
      coalesce(p.hidden_at > now() - ${lasts}, false) as is_hidden
    from channels n left join chat_pages p on p.account_id = n.account_id and p.channel_id = n.id
    where n.account_id = ${accountId} and n.id = ${id}
  `.execute(db)
  return rows[0] ?? { hasMember: false, isForged: false, isHidden: false }
}

/** Notes that it is the case now. True: it was not a moment ago. */
export async function noteStrangers(
  db: Db,
  { accountId, id }: ChannelRef,
  what: 'forged' | 'hidden',
): Promise<boolean> {
  const column = sql.ref(`${what}_at`)
  const { rows } = await sql<{ isNew: boolean }>`
    with before as (
      select ${column} as at from chat_pages where account_id = ${accountId} and channel_id = ${id}
    ), noted as (
      insert into chat_pages (account_id, channel_id, ${column})
      select account_id, id, now() from channels where account_id = ${accountId} and id = ${id}
      on conflict (account_id, channel_id) do update set ${column} = now()
    )
    select coalesce((select at from before) < now() - ${lasts}, true) as is_new
  `.execute(db)
  return rows[0]?.isNew ?? false
}

const mostRemoved = 10

export type RemovedChat = { id: ChannelId; name: string; address: string; removedAt: Date }

/** Channels of our own that were removed, the last one first: who has connected a sender before need not be shown it. */
export async function listRemovedChats(db: Db, accountId: AccountId): Promise<RemovedChat[]> {
  return db
    .selectFrom('channels')
    .select(['id', 'name', 'address', 'removedAt'])
    .where('accountId', '=', accountId)
    .where('state', '=', 'removed')
    .where('kind', 'not in', [...providerKinds])
    .orderBy('removedAt', 'desc')
    .limit(mostRemoved)
    .$narrowType<{ removedAt: Date }>()
    .execute()
}

/** Whether any account has a channel of our own. */
export async function hasOwnChannels(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from channel_directory where kind <> all (${[...providerKinds]}::text[]) limit 1
  `.execute(db)
  return rows.length > 0
}

const keptFor = '90 days'

export async function pruneChatDays(db: Db): Promise<number> {
  return deleteInBatches(
    db,
    (limit) => sql`
      delete from chat_days where ctid = any (array(
        select ctid from chat_days where day < current_date - ${keptFor}::interval limit ${limit}
      ))
    `,
  )
}
