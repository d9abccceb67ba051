import type { SimulatorEvent, SimulatorState } from '@patchbay/contract/app/simulator.ts'
import type { Behaviour } from '@patchbay/contract/simulated-receiver.ts'
import { sql } from 'kysely'
import type { Sendable } from '../../business/sessions/handlers.ts'
import type { ConversationRef } from '../../journey/conversations/conversation-store.ts'
import { setPaused } from '../../outbox/receiver-store.ts'
import { simulator } from '../../outbox/receivers.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../platform/ids.ts'

/** Makes the simulated receiver of an account; a second time changes nothing. Its address is never dialled. */
export async function insertReceiver(tx: Tx, accountId: AccountId, secret: string): Promise<void> {
  await tx
    .insertInto('receivers')
    .values({ accountId, id: simulator, url: 'simulator:', secret })
    .onConflict((conflict) => conflict.columns(['accountId', 'id']).doNothing())
    .execute()
}

type NewSimulatedContact = ConversationRef & { firstName: string; channel: string; externalId: string }

export async function insertSimulated(tx: Tx, simulated: NewSimulatedContact): Promise<void> {
  const { accountId, contactId, firstName, channel, externalId } = simulated
  await tx
    .insertInto('contacts')
    .values({ accountId, id: contactId, firstName, externalId, isSimulated: true })
    .execute()
  await tx.insertInto('conversations').values({ accountId, contactId, channel, isSimulated: true }).execute()
}

export async function listSimulated(db: Db, accountId: AccountId): Promise<ContactId[]> {
  const rows = await db
    .selectFrom('contacts')
    .select('id')
    .where('accountId', '=', accountId)
    .where('isSimulated', '=', true)
    .execute()
  return rows.map(({ id }) => id)
}

export type SimulatedContact = { externalId: string; channel: string; botActive: boolean }

export async function findSimulated(db: Db, ref: ConversationRef): Promise<SimulatedContact | undefined> {
  const { rows } = await sql<SimulatedContact>`
    select p.external_id, coalesce(c.channel, 'Simulator') as channel, a.bot_active
    from contacts p
    join conversations c on c.account_id = p.account_id and c.contact_id = p.id
    join accounts a on a.id = p.account_id
    where p.account_id = ${ref.accountId} and p.id = ${ref.contactId} and p.is_simulated
  `.execute(db)
  return rows[0]
}

export async function findSimulator(db: Db, accountId: AccountId): Promise<Sendable<SimulatorState>> {
  const contacts = await sql<Sendable<SimulatorState['contacts'][number]>>`
    select p.id as contact_id, coalesce(p.first_name, 'Nobody') as name, p.created_at,
      json_build_object('label', coalesce(c.channel, 'Simulator'), 'name', coalesce(c.channel, 'Simulator'), 'kind', null, 'colour', coalesce((
        select colour from channel_labels h where h.account_id = c.account_id and h.label = coalesce(c.channel, 'custom')
      ), 1)) as channel
    from contacts p join conversations c on c.account_id = p.account_id and c.contact_id = p.id
    where p.account_id = ${accountId} and p.is_simulated
    order by p.created_at desc
  `.execute(db)
  const state = await db
    .selectFrom('simulators')
    .select(['behaviour', 'timesLeft'])
    .where('accountId', '=', accountId)
    .executeTakeFirst()
  return { contacts: contacts.rows, behaviour: state?.behaviour ?? 'ok', left: state?.timesLeft ?? null }
}

/**
 * Sets how the simulated receiver answers. It starts without the failures of before, and what waits for a retry is due
 * at once: a person who switches a fault off wants to see the replies arrive.
 */
export async function saveBehaviour(
  tx: Tx,
  given: { accountId: AccountId; behaviour: Behaviour; timesLeft: number | null },
): Promise<void> {
  const { behaviour, timesLeft } = given
  await tx
    .insertInto('simulators')
    .values(given)
    .onConflict((conflict) => conflict.column('accountId').doUpdateSet({ behaviour, timesLeft }))
    .execute()
  await setPaused(tx, { accountId: given.accountId, receiverId: simulator }, false)
}

type IncomingEvent = { kind: 'incoming' | 'incoming again'; messageId: string; durationMs: number }

/** Keeps what the simulated platform posted, unless the contact was erased meanwhile. */
export async function insertIncoming(db: Db, ref: ConversationRef, { kind, messageId, durationMs }: IncomingEvent) {
  await sql`
    insert into simulator_events (account_id, contact_id, kind, message_id, outcome, duration_ms)
    select account_id, id, ${kind}, ${messageId}, '200', ${durationMs} from contacts
    where account_id = ${ref.accountId} and id = ${ref.contactId} for key share
  `.execute(db)
}

const mostShown = 100

/** What went in and out, and what the bot decided in between, newest first. */
export async function listEvents(db: Db, { accountId, contactId }: ConversationRef) {
  const { rows } = await sql<Sendable<SimulatorEvent>>`
    select * from (
      select id::text, at, kind, message_id, outcome, duration_ms, post
      from simulator_events where account_id = ${accountId} and contact_id = ${contactId}
      union all
      select 'decision ' || from_seq, created_at, 'decision', message_id, outcome || ': ' || reason, duration_ms, null
      from answers where account_id = ${accountId} and contact_id = ${contactId}
    ) as event
    order by at desc
    limit ${mostShown}
  `.execute(db)
  return rows
}
