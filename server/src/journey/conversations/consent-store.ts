import { sql } from 'kysely'
import { mostIntentCharacters } from '../../answers/engines/intents/read-intent.ts'
import type { Tx } from '../../platform/database/db.ts'
import type { ConversationRef } from './conversation-store.ts'

/** Messages up to `seq` have been checked for an opt-out or opt-in; without `seq`, all of them. */
export async function markConsentChecked(
  tx: Tx,
  { accountId, contactId }: ConversationRef,
  seq?: bigint,
): Promise<void> {
  await tx
    .updateTable('conversations')
    .set({ consentSeq: seq === undefined ? sql`last_seq` : String(seq) })
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .execute()
}

/** An answer that is being generated at this moment is not sent: `settle` sees the new epoch. */
export async function invalidateAnswer(tx: Tx, { accountId, contactId }: ConversationRef): Promise<void> {
  await tx
    .updateTable('conversations')
    .set({ epoch: sql`epoch + 1` })
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .execute()
}

/** Whether the message is a tap on a button. */
const isTap = `exists (
  select from message_details d where d.account_id = messages.account_id and d.message_id = messages.id and d.data ? 'choice'
)`

/** The same number as for an answer. */
const mostMessages = 200

/**
 * Messages that the bot owes an answer to and that have not been checked for an opt-out or opt-in yet; of each what that reads. A tap
 * on a button is none of them: the words on it are ours.
 */
export async function readUncheckedMessages(
  tx: Tx,
  { accountId, contactId }: ConversationRef,
): Promise<{ seq: bigint; body: string }[]> {
  const { rows } = await sql<{ seq: string; body: string }>`
    select m.seq, m.body
    from turns t join conversations c on c.account_id = t.account_id and c.contact_id = t.contact_id
    cross join lateral (
      select seq, left(body, ${mostIntentCharacters}) as body from messages
      where account_id = t.account_id and contact_id = t.contact_id and seq >= t.from_seq and seq > c.consent_seq
        and direction = 'incoming' and kind = 'text' and not (channel like 'chn\\_%' and ${sql.raw(isTap)})
      order by seq desc
      limit ${mostMessages}
    ) as m
    where t.account_id = ${accountId} and t.contact_id = ${contactId}
    order by m.seq
  `.execute(tx)
  return rows.map(({ seq, body }) => ({ seq: BigInt(seq), body }))
}
