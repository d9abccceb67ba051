import type { deliveryFilters } from '@patchbay/contract/app/webhook.ts'
import { type RawBuilder, sql } from 'kysely'
import { isChannelId, type Receiver } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { ContactId } from '../../../platform/ids.ts'
import { hasFailed } from '../../messages/status-store.ts'
import { mostCounted } from '../receivers/health-store.ts'

export type Filter = (typeof deliveryFilters)[number]

/** Where a page goes on: before this id, and while waiting ones are listed, before this time. */
export type Position = { id: string; dueAt: string }

/** A page of ids. `next`: where to go on; the page may be short of its limit although there is more. */
export type PageOfIds = { ids: string[]; next: Position | undefined }

export type PageRequest = { filter: Filter; before: Position | undefined; limit: number }

/** Ids of messages sort by time, and are all below this. */
const afterAll = 'msg`'
const endOfTime = 'infinity'
const lastSeq = 2 ** 53

/**
 * How many deliveries are looked at for one page of those that were sent, or of one channel among others: they may be far
 * apart, and an index on them would have to be maintained by every delivery.
 */
const lookedAt = 2_000

/** What goes to a receiver, newest first. */
export function listIds(db: Db, receiver: Receiver, { filter, before, limit }: PageRequest): Promise<PageOfIds> {
  const { accountId, receiverId } = receiver
  const id = before?.id ?? afterAll
  const wanted = { ...receiver, id, limit }
  if (filter === 'waiting' && isChannelId(receiverId)) return waitingForChannelIds(db, wanted)
  if (filter === 'waiting') return waitingIds(db, { ...wanted, dueAt: before?.dueAt ?? endOfTime })
  if (filter === 'sent' || isChannelId(receiverId)) return fewIds(db, wanted, filter)
  const isWanted = filter === 'failed' ? sql`and ${failed}` : sql``
  return pageOf(
    db,
    limit,
    sql<Position>`
      select d.id, '' as due_at from deliveries d
      where d.account_id = ${accountId} and d.receiver_id = ${sql.lit(receiverId)} and d.id < ${id} ${isWanted}
      order by d.id desc limit ${limit + 1}
    `,
  )
}

type Page = Receiver & { id: string; limit: number }

const failed = sql.raw(hasFailed('d'))
const held = sql.raw(`d.error_category = 'endpoint_paused'`)
const waiting = sql.raw('d.due_at is not null and d.error_category is null and d.sent_at is null')

/** Replies in the order of the index of open deliveries, by when they became due, which is when they were made. */
async function waitingIds(
  db: Db,
  { accountId, receiverId, id, dueAt, limit }: Page & { dueAt: string },
): Promise<PageOfIds> {
  return pageOf(
    db,
    limit,
    sql<Position>`
      select d.id, d.due_at::text as due_at from deliveries d
      where d.account_id = ${accountId} and d.receiver_id = ${sql.lit(receiverId)} and ${waiting}
        and (d.due_at, d.id) < (${dueAt}::timestamptz, ${id})
      order by d.due_at desc, d.id desc limit ${limit + 1}
    `,
  )
}

/** What is held back with its channel waits too: it leaves by itself. Each of both is found by an index of its own. */
async function waitingForChannelIds(db: Db, { accountId, receiverId, id, limit }: Page): Promise<PageOfIds> {
  const of = sql`d.receiver_id = ${sql.lit(receiverId)} and d.id < ${id}`
  return pageOf(
    db,
    limit,
    sql<Position>`
      select w.id, '' as due_at from (
        (select d.id from deliveries d where d.account_id = ${accountId} and ${of} and ${waiting}
          order by d.id desc limit ${limit + 1})
        union all
        (select d.id from deliveries d where d.account_id = ${accountId} and ${of} and ${failed} and ${held}
          order by d.id desc limit ${limit + 1})
      ) as w order by w.id desc limit ${limit + 1}
    `,
  )
}

/** Those among the latest deliveries of the account, or among its failed ones. */
async function fewIds(
  db: Db,
  { accountId, receiverId, id, limit }: Page,
  filter: Exclude<Filter, 'waiting'>,
): Promise<PageOfIds> {
  const isOfReceiver = sql`d.receiver_id = ${sql.lit(receiverId)}`
  const isOneOfMany = isChannelId(receiverId)
  const isWanted = filter === 'sent' ? sql`d.sent_at is not null` : filter === 'failed' ? sql`not ${held}` : sql`true`
  const { rows } = await sql<{ id: string; isWanted: boolean }>`
    select d.id, ${isWanted} and ${isOfReceiver} as is_wanted from deliveries d
    where d.account_id = ${accountId} and d.id < ${id} ${isOneOfMany ? sql`` : sql`and ${isOfReceiver}`}
      ${filter === 'failed' ? sql`and ${failed}` : sql``}
    order by d.id desc limit ${lookedAt}
  `.execute(db)
  return shortPage(rows, { limit, most: lookedAt })
}

/** What is held back with its channel waits. Behind a paused webhook it has failed: a person may have to send it again. */
function isIn(filter: 'failed' | 'waiting', isOfChannel: boolean): RawBuilder<unknown> {
  if (!isOfChannel) return filter === 'failed' ? failed : waiting
  return filter === 'failed' ? sql`${failed} and not ${held}` : sql`(${waiting} or ${failed} and ${held})`
}

type ContactsRef = Receiver & { contactIds: ContactId[] }

/** Replies to these contacts, newest first. Deliveries have no index by contact but for failed and open ones. */
export function listIdsOf(db: Db, of: ContactsRef, { filter, before, limit }: PageRequest): Promise<PageOfIds> {
  const { accountId, receiverId, contactIds } = of
  const id = before?.id ?? afterAll
  if (filter === 'all' || filter === 'sent') return outgoingIds(db, of, { id, limit, isSent: filter === 'sent' })
  return pageOf(
    db,
    limit,
    sql<Position>`
      select d.id, '' as due_at from deliveries d
      where d.account_id = ${accountId} and d.contact_id = any (${contactIds}) and d.receiver_id = ${sql.lit(receiverId)}
        and ${isIn(filter, isChannelId(receiverId))} and d.id < ${id}
      order by d.id desc limit ${limit + 1}`,
  )
}

/** How many messages are looked at for one page of those that were sent to some contacts. */
const messagesLookedAt = 100

/** Messages of one contact that are made at the same moment may have ids in another order than numbers, within so many. */
const outOfOrder = 100

/**
 * Finds replies through the messages: so many of the latest of all these contacts, and then their deliveries. The
 * contact of the message where the page goes on is read from there on; of others with the name, messages are skipped
 * one by one.
 */
async function outgoingIds(
  db: Db,
  { accountId, receiverId, contactIds }: ContactsRef,
  { id, limit, isSent }: { id: string; limit: number; isSent: boolean },
): Promise<PageOfIds> {
  const most = isSent ? Math.max(messagesLookedAt, limit + 1) : limit + 1
  const { rows } = await sql<{ id: string; isWanted: boolean }>`
    with latest as materialized (
      select m.id from unnest(${contactIds}::text[]) as c (contact_id)
      left join messages k on k.account_id = ${accountId} and k.id = ${id} and k.contact_id = c.contact_id
      cross join lateral (
        select o.id from messages o
        where o.account_id = ${accountId} and o.contact_id = c.contact_id and o.direction = 'outgoing' and o.id < ${id}
          and o.seq < coalesce(k.seq + ${outOfOrder}, ${lastSeq})
        order by o.seq desc limit ${most}
      ) as m
      order by m.id desc limit ${most}
    )
    select m.id, coalesce((
      select d.receiver_id = ${sql.lit(receiverId)} and (d.sent_at is not null or not ${isSent}) from deliveries d
      where d.account_id = ${accountId} and d.id = m.id
    ), false) as is_wanted
    from latest m order by m.id desc
  `.execute(db)
  return shortPage(rows, { limit, most })
}

/** Those that are wanted of the rows that were looked at, newest first; the next page begins after the last of them. */
function shortPage(
  rows: { id: string; isWanted: boolean }[],
  { limit, most }: { limit: number; most: number },
): PageOfIds {
  const wanted = rows.filter(({ isWanted }) => isWanted).map(({ id }) => id)
  const ids = wanted.slice(0, limit)
  const last = wanted.length > limit ? ids.at(-1) : rows.length === most ? rows.at(-1)?.id : undefined
  return { ids, next: last === undefined ? undefined : { id: last, dueAt: '' } }
}

async function pageOf(db: Db, limit: number, query: RawBuilder<Position>): Promise<PageOfIds> {
  const { rows } = await query.execute(db)
  const page = rows.slice(0, limit)
  return { ids: page.map(({ id }) => id), next: rows.length > limit ? page.at(-1) : undefined }
}

/** Counts replies up to `mostCounted`. */
export async function countInTrouble(
  db: Db,
  { accountId, receiverId }: Receiver,
): Promise<{ failed: number; waiting: number }> {
  const { rows } = await sql<{ failed: number; waiting: number }>`
    select (
      select count(*)::integer from (
        select from deliveries d
        where d.account_id = ${accountId} and d.contact_id is not null and d.receiver_id = ${sql.lit(receiverId)} and ${failed}
        limit ${mostCounted}
      ) as f
    ) as failed, (
      select count(*)::integer from (
        select from deliveries d where d.account_id = ${accountId} and d.receiver_id = ${sql.lit(receiverId)} and ${waiting}
        limit ${mostCounted}
      ) as w
    ) as waiting
  `.execute(db)
  return rows[0] ?? { failed: 0, waiting: 0 }
}
