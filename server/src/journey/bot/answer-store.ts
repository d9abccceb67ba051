import { sql } from 'kysely'
import type { Source } from '../../answers/engines/common/engine.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, CampaignId, ContactId, MessageId } from '../../platform/ids.ts'

/** The outcome of one turn. */
export type AnswerRow = {
  accountId: AccountId
  contactId: ContactId
  fromSeq: bigint
  toSeq: bigint
  outcome: 'answered' | 'offered' | 'fell back' | 'handed over' | 'silent' | 'skipped'
  reason: string
  campaignId: CampaignId | null
  campaignVersion: number | null
  routing: string
  messageId: MessageId | null
  engine: string | null
  model: string | null
  sources: Source[]
  inputTokens: number | null
  outputTokens: number | null
  durationMs: number | null
}

/** Throws when the turn was answered before: its key is the first message it answers. A skipped turn is replaced. */
export async function insertAnswer(tx: Tx, { fromSeq, toSeq, sources, ...answer }: AnswerRow): Promise<void> {
  const row = { ...answer, fromSeq: String(fromSeq), toSeq: String(toSeq), sources: JSON.stringify(sources) }
  const { accountId: _, ...changes } = row
  await tx
    .insertInto('answers')
    .values(row)
    .onConflict((c) =>
      c
        .columns(['accountId', 'contactId', 'fromSeq'])
        .doUpdateSet({ ...changes, createdAt: sql`now()` })
        .where('answers.messageId', 'is', null),
    )
    .returning('fromSeq')
    .executeTakeFirstOrThrow()
}

/**
 * The campaign's status, which nobody changes until the transaction ends. It does not wait for a lock: it fails with
 * 55P03 while somebody else is changing the campaign.
 */
export async function lockCampaignStatus(
  tx: Tx,
  accountId: AccountId,
  campaignId: CampaignId,
): Promise<string | undefined> {
  const { rows } = await sql<{ status: string }>`
    select status from campaigns where account_id = ${accountId} and id = ${campaignId} for share nowait
  `.execute(tx)
  return rows[0]?.status
}

export type ShownAnswer = Omit<AnswerRow, 'accountId' | 'contactId' | 'fromSeq' | 'toSeq'> & { createdAt: Date }

/** What the bot decided about an incoming message, or for one of its own replies. */
export async function findAnswer(
  db: Db,
  { accountId, messageId }: { accountId: AccountId; messageId: MessageId },
): Promise<ShownAnswer | undefined> {
  const { rows } = await sql<ShownAnswer>`
    select a.outcome, a.reason, a.campaign_id, a.campaign_version, a.routing, a.message_id, a.engine, a.model, a.sources,
      a.input_tokens, a.output_tokens, a.duration_ms, a.created_at
    from messages m join answers a on a.account_id = m.account_id and a.contact_id = m.contact_id and a.from_seq <= m.seq
    where m.account_id = ${accountId} and m.id = ${messageId}
      and (a.message_id = m.id or m.direction = 'incoming' and a.to_seq >= m.seq)
    order by a.from_seq desc
    limit 1
  `.execute(db)
  return rows[0]
}
