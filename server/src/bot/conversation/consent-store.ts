import { sql } from 'kysely'
import type { Tx } from '../../platform/database/db.ts'
import type { ConversationRef } from './conversation-store.ts'

/** What they said about being written to has been heard up to here; without a number, all of it. */
export async function noteHeard(tx: Tx, { accountId, contactId }: ConversationRef, seq?: bigint): Promise<void> {
  await tx
    .updateTable('conversations')
    .set({ consentSeq: seq === undefined ? sql`last_seq` : String(seq) })
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .execute()
}

/** An answer that is thought out at the moment is not given. */
export async function disownAnswer(tx: Tx, { accountId, contactId }: ConversationRef): Promise<void> {
  await tx
    .updateTable('conversations')
    .set({ epoch: sql`epoch + 1` })
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .execute()
}

/** So many messages are read back, as for an answer. */
const mostMessages = 200

/** What they wrote that the bot owes an answer to, and that nobody has looked at for what it says about being written to. */
export async function readUnheard(
  tx: Tx,
  { accountId, contactId }: ConversationRef,
): Promise<{ seq: bigint; body: string }[]> {
  const { rows } = await sql<{ seq: string; body: string }>`
    select m.seq, m.body
    from turns t join conversations c on c.account_id = t.account_id and c.contact_id = t.contact_id
    cross join lateral (
      select seq, body from messages
      where account_id = t.account_id and contact_id = t.contact_id and seq >= t.from_seq and seq > c.consent_seq
        and direction = 'incoming' and kind = 'text'
      order by seq desc
      limit ${mostMessages}
    ) as m
    where t.account_id = ${accountId} and t.contact_id = ${contactId}
    order by m.seq
  `.execute(tx)
  return rows.map(({ seq, body }) => ({ seq: BigInt(seq), body }))
}
