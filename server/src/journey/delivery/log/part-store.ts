import { sql } from 'kysely'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId, MessageId } from '../../../platform/ids.ts'

export type ShownPart = {
  n: number
  text: string
  acceptedAt: Date | null
  deliveredAt: Date | null
  readAt: Date | null
  failedAt: Date | null
  says: string | null
  doubtSince: Date | null
  resentAt: Date | null
  code: string | null
  detail: string | null
}

/** The requests of which a message over a channel consists. */
export async function listParts(db: Db, accountId: AccountId, id: MessageId): Promise<ShownPart[]> {
  const { rows } = await sql<ShownPart>`
    select n, coalesce(content->>'text', '') as text, accepted_at, delivered_at, read_at, failed_at, provider_says as says, doubt_since,
      resent_at, error_code as code, error_detail as detail
    from delivery_parts where account_id = ${accountId} and delivery_id = ${id} order by n
  `.execute(db)
  return rows
}
