import { type RawBuilder, sql } from 'kysely'
import { followsInTime, latestFirst, placeColumns } from '../../../journey/messages/activity-store.ts'
import { isUndelivered } from '../../../journey/messages/status-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'
import { type ConversationRow, type Page, readRows } from './row-store.ts'
import { findUnread } from './unread-store.ts'
import { type PageRequest, type Position, timeOf, type Viewer } from './viewer-store.ts'

/** Open conversations. The conversation that was active last comes first, here and where nothing else is said. */
export async function listAll(db: Db, viewer: Viewer, wanted: PageRequest): Promise<ConversationRow[]> {
  return readRows(db, viewer, statePage(viewer.accountId, wanted, 'open'))
}

export async function listClosed(db: Db, viewer: Viewer, wanted: PageRequest): Promise<ConversationRow[]> {
  return readRows(db, viewer, statePage(viewer.accountId, wanted, 'closed'))
}

export async function listSnoozed(db: Db, viewer: Viewer, wanted: PageRequest): Promise<ConversationRow[]> {
  return readRows(db, viewer, statePage(viewer.accountId, wanted, 'snoozed'))
}

/** Conversations that are assigned to the user. */
export async function listMine(db: Db, viewer: Viewer, wanted: PageRequest): Promise<ConversationRow[]> {
  const where = sql`and c.assignee_id = ${viewer.userId}`
  return readRows(db, viewer, statePage(viewer.accountId, wanted, 'open', where))
}

/** The one that has waited longest comes first. */
export async function listWaiting(db: Db, viewer: Viewer, wanted: PageRequest): Promise<ConversationRow[]> {
  return readRows(db, viewer, waitingPage(viewer.accountId, wanted))
}

export function waitingPage(accountId: AccountId, { after, limit }: PageRequest): Page {
  const follows = after && sql`and (c.waiting_since, c.contact_id) > (${timeOf(after)}, ${after.contactId})`
  return {
    rows: sql`
      select c.* from conversations c
      where c.account_id = ${accountId} and c.waiting_since is not null and c.state = 'open' and c.last_seq > 0
        ${follows ?? sql``}
      order by c.waiting_since, c.contact_id limit ${limit}`,
    order: sql`c.waiting_since, c.contact_id`,
  }
}

/** Conversations with messages of the contact that the user has not read. */
export async function listUnread(db: Db, viewer: Viewer, wanted: PageRequest): Promise<ConversationRow[]> {
  return readRows(db, viewer, named(viewer.accountId, await findUnread(db, viewer, wanted)))
}

/** Most conversations with a failed reply that are looked up by name; see `listFailed`. */
const mostNamed = 300

/**
 * Conversations with a reply that was not delivered, also where somebody has closed them since: nobody wants to lose
 * it. When they are few, they are looked up by name; when they are many, as after an outage, the first of them are
 * found soon by going through all conversations.
 */
export async function listFailed(db: Db, viewer: Viewer, wanted: PageRequest): Promise<ConversationRow[]> {
  const { accountId } = viewer
  const { rows: failed } = await sql<{ contactId: string }>`${failedContacts(accountId, mostNamed + 1)}`.execute(db)
  if (failed.length <= mostNamed) {
    const ids = failed.map(({ contactId }) => contactId)
    const { rows } = named(accountId, ids)
    const page = sql`
      select c.* from (${rows}) as c where c.last_seq > 0 and c.state <> 'empty' ${follows(wanted.after)} order by ${latestFirst} limit ${wanted.limit}`
    return readRows(db, viewer, { rows: page, order: latestFirst })
  }
  const isFailed = sql`(
    select true from deliveries d
    where d.account_id = ${accountId} and d.contact_id = c.contact_id and ${sql.raw(isUndelivered('d'))} limit 1
  )`
  // `offset 0`: or PostgreSQL looks for the replies of a whole step before it sorts. The order is kept; said again, it would sort all.
  const ofState = (state: ConversationRow['state']) => sql`
    select c.* from (${byActivity(accountId, wanted.after, state)} offset 0) as c where ${isFailed} limit ${wanted.limit}`
  return readRows(db, viewer, ofStates(accountId, wanted, ofState))
}

/** Conversations in any state. */
export function everyPage(accountId: AccountId, wanted: PageRequest): Page {
  return ofStates(
    accountId,
    wanted,
    (state) => sql`${byActivity(accountId, wanted.after, state)} limit ${wanted.limit}`,
  )
}

/** Each state has its own part of the index, and gives as many as the page has. */
function ofStates(
  accountId: AccountId,
  { limit }: PageRequest,
  ofState: (state: ConversationRow['state']) => RawBuilder<unknown>,
): Page {
  const states = (['open', 'snoozed', 'closed'] as const).map((state) => sql`(${ofState(state)})`)
  return wholeRows(
    accountId,
    sql`select c.* from (${sql.join(states, sql` union all `)}) as c order by ${latestFirst} limit ${limit}`,
  )
}

/** The conversations of these contacts. */
function named(accountId: AccountId, contactIds: string[]): Page {
  return {
    rows: sql`
      select c.* from unnest(${contactIds}::text[]) as k (contact_id) cross join lateral (
        select c.* from conversations c where c.account_id = ${accountId} and c.contact_id = k.contact_id limit 1
      ) as c`,
    order: latestFirst,
  }
}

function statePage(
  accountId: AccountId,
  { after, limit }: PageRequest,
  state: ConversationRow['state'],
  where?: RawBuilder<unknown>,
): Page {
  return wholeRows(accountId, sql`${byActivity(accountId, after, state, where)} limit ${limit}`)
}

/** The places of conversations, the latest first. */
function byActivity(
  accountId: AccountId,
  after: Position | undefined,
  state: ConversationRow['state'],
  where: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  return sql`
    select ${placeColumns} from conversations c
    where c.account_id = ${accountId} and c.state = ${sql.lit(state)} and c.last_seq > 0 ${where} ${follows(after)}
    order by ${latestFirst}`
}

/** The conversations at these places: within one statement a row is where it was found, whoever writes meanwhile. */
function wholeRows(accountId: AccountId, places: RawBuilder<unknown>): Page {
  return {
    rows: sql`
      select c.* from (${places}) as k cross join lateral (
        select c.* from conversations c where c.account_id = ${accountId} and c.ctid = k.ctid limit 1
      ) as c`,
    order: latestFirst,
  }
}

/** The condition for conversations after the position, the latest first. */
export function follows(after: Position | undefined): RawBuilder<unknown> {
  return after ? sql`and ${followsInTime(timeOf(after), after.contactId)}` : sql``
}

/** Contacts with a failed reply: one step in the index for each, however many of their replies failed. */
export function failedContacts(accountId: AccountId, limit: number): RawBuilder<{ contactId: string }> {
  const next = (after: RawBuilder<unknown>) => sql`
    select d.contact_id from deliveries d
    where d.account_id = ${accountId} and d.contact_id is not null and ${sql.raw(isUndelivered('d'))} ${after}
    order by d.contact_id limit 1`
  return sql<{ contactId: string }>`
    with recursive failed as (
      (${next(sql``)})
      union all
      select (${next(sql`and d.contact_id > f.contact_id`)}) from failed f where f.contact_id is not null
    )
    select contact_id from failed where contact_id is not null limit ${limit}`
}
