import type { SimulatorEvent } from '@patchbay/contract/app/simulator.ts'
import { sql } from 'kysely'
import type { Sendable } from '../../business/sessions/handlers.ts'
import type { ConversationRef } from '../../journey/conversations/conversation-store.ts'
import type { Db } from '../../platform/database/db.ts'

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
