import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/database/db.ts'
import { type AccountId, type ContactId, newId } from '../../src/platform/ids.ts'

/** An account whose rows are written with chosen times, as the product would have written them then. */
export type ReportWorld = {
  db: Db
  accountId: AccountId
  /** What time it is, in milliseconds. */
  clock: number
  contacts: ContactId[]
  movements: number
}

/** By default it begins at noon of yesterday (UTC), so that hours of it are on one day, whenever the test runs. */
export function openReportWorld(db: Db, accountId: AccountId, begin = noonOfYesterday()): ReportWorld {
  return { db, accountId, clock: Date.parse(begin), contacts: [], movements: 0 }
}

const noonOfYesterday = () => `${new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)}T12:00:00Z`

export const timeOf = (world: ReportWorld, afterMs = 0) => new Date(world.clock + afterMs).toISOString()

export async function addContact(world: ReportWorld, { isSimulated = false } = {}): Promise<ContactId> {
  const contactId = newId('con')
  await sql`
    insert into contacts (account_id, id, external_id, is_simulated)
    values (${world.accountId}, ${contactId}, ${contactId}, ${isSimulated})
  `.execute(world.db)
  world.contacts.push(contactId)
  return contactId
}

export type NewMessage = {
  contactId: ContactId
  channel: string | null
  author: 'contact' | 'bot' | 'person' | 'api'
  kind?: 'text' | 'reaction'
  /** Milliseconds until it arrived; null: it is still to be delivered. */
  arrivesAfter?: number | null
  isBroadcast?: boolean
}

/** Returns its id and number. */
export async function addMessage(world: ReportWorld, message: NewMessage): Promise<{ id: string; seq: number }> {
  const { db, accountId } = world
  const { contactId, channel, author, kind = 'text', arrivesAfter = null, isBroadcast = false } = message
  const [id, at, isIncoming] = [newId('msg'), timeOf(world), author === 'contact']
  const { rows } = await sql<{ seq: number }>`
    insert into conversations as c (account_id, contact_id, channel, last_seq, active_at, active_step, is_simulated)
    values (${accountId}, ${contactId}, ${channel}, 1, ${at}, activity_step(${at}::timestamptz), (
      select is_simulated from contacts where account_id = ${accountId} and id = ${contactId}
    ))
    on conflict (account_id, contact_id) do update set last_seq = c.last_seq + 1, active_at = excluded.active_at,
      active_step = excluded.active_step, channel = excluded.channel, state = 'open'
    returning last_seq::integer as seq
  `.execute(db)
  const seq = rows[0]?.seq ?? 0
  await sql`
    insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body, channel, created_at,
      broadcast_id)
    values (${accountId}, ${id}, ${contactId}, ${seq}, ${isIncoming ? 'incoming' : 'outgoing'}, ${author}, ${kind},
      ${isIncoming ? 'received' : null}, 'text', ${channel}, ${at}, ${isBroadcast ? 'brc_test' : null})
  `.execute(db)
  if (!isIncoming) {
    const sentAt = arrivesAfter === null ? null : timeOf(world, arrivesAfter)
    await sql`
      insert into deliveries (account_id, id, contact_id, outgoing_seq, payload, due_at, receiver_id, author, sent_at)
      values (${accountId}, ${id}, ${contactId}, ${seq}, '{}', ${sentAt === null ? at : null}, 'reply', ${author}, ${sentAt})
    `.execute(db)
  }
  return { id, seq }
}

/** As if all was written now, whatever its time says: a worker looks for new activity. */
export async function makeActive({ db, accountId }: ReportWorld): Promise<void> {
  await sql`
    update conversations set active_at = now(), active_step = activity_step(now())
    where account_id = ${accountId}
  `.execute(db)
}

/** The bot decides about the last message of a contact. */
export async function addAnswer(
  world: ReportWorld,
  contactId: ContactId,
  outcome: string,
  reason = 'test',
): Promise<void> {
  await sql`
    insert into answers (account_id, contact_id, from_seq, to_seq, outcome, reason, created_at)
    select account_id, contact_id, seq, seq, ${outcome}, ${reason}, ${timeOf(world)} from messages
    where account_id = ${world.accountId} and contact_id = ${contactId} order by seq desc limit 1
    on conflict do nothing
  `.execute(world.db)
}

export async function addClose(world: ReportWorld, contactId: ContactId): Promise<void> {
  await sql`
    insert into conversation_events (account_id, contact_id, seq, kind, at)
    select account_id, contact_id, last_seq, 'closed', ${timeOf(world)} from conversations
    where account_id = ${world.accountId} and contact_id = ${contactId}
  `.execute(world.db)
}

export type DeliveryState = 'sent' | 'failed' | 'open'

/** Changes what became of the nth delivery that has not arrived. */
export async function settleDelivery(world: ReportWorld, n: number, state: DeliveryState): Promise<void> {
  const { db, accountId } = world
  const { rows } = await sql<{ id: string }>`
    select id from deliveries where account_id = ${accountId} and sent_at is null order by id
  `.execute(db)
  const one = rows[n % rows.length]
  if (!one) return
  const at = timeOf(world)
  await sql`
    update deliveries set sent_at = ${state === 'sent' ? at : null}, due_at = ${state === 'open' ? at : null},
      error_category = ${state === 'failed' ? 'timeout' : null}
    where account_id = ${accountId} and id = ${one.id}
  `.execute(db)
}

/** A charge for the last message of a contact, or the reversal of one. */
export async function addMovement(world: ReportWorld, contactId: ContactId, isReversal: boolean): Promise<void> {
  const { db, accountId } = world
  const [n, id, at] = [world.movements + 1, `led_${randomUUID()}`, timeOf(world)]
  await sql`
    insert into balances (account_id) values (${accountId}) on conflict do nothing
  `.execute(db)
  const shared = sql`${accountId}, ${id}, ${n}`
  const { numAffectedRows = 0n } = isReversal
    ? await sql`
        insert into ledger (account_id, id, n, kind, payer_id, payer_purse, payee_id, payee_purse, amount, balance_after,
          actor, reverses, created_at)
        select ${shared}, 'reversal', ${accountId}, 'usage', ${accountId}, 'credits', o.amount, 0, 'test', o.id, ${at}
        from ledger o where o.account_id = ${accountId} and o.kind = 'usage'
          and not exists (select from ledger r where r.reverses = o.id)
        order by o.n limit 1
      `.execute(db)
    : await sql`
        insert into ledger (account_id, id, n, kind, payer_id, payer_purse, payee_id, payee_purse, amount, balance_after,
          actor, contact_id, from_seq, created_at)
        select ${shared}, 'usage', ${accountId}, 'credits', ${accountId}, 'usage', ${100 + n}, 0, 'test', contact_id, seq, ${at}
        from messages where account_id = ${accountId} and contact_id = ${contactId} order by seq desc limit 1
        on conflict do nothing
      `.execute(db)
  if (numAffectedRows === 0n) return
  world.movements = n
  await sql`update balances set version = ${n} where account_id = ${accountId}`.execute(db)
}
