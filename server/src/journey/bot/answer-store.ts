import { sql } from 'kysely'
import type { Source } from '../../answers/engines/common/engine.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, CampaignId, ContactId, MessageId } from '../../platform/ids.ts'
import type { Turn } from '../conversations/turn-store.ts'

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

/** What an answer depends on, as it is now. */
type Locked = {
  /** Undefined: the contact was erased. */
  conversation: { epoch: number; botActive: boolean; isOnChannels: boolean } | undefined
  /** Undefined: its lease is not ours any more. */
  turn: { lastSeq: bigint } | undefined
  campaignStatus: string | null
}

/**
 * Locks, in this order and in one statement, the conversation, the turn and the campaign: until the transaction ends nobody
 * changes who answers, no message takes a sequence number, and the campaign stays as it is. For the campaign it does not
 * wait: it fails with 55P03 while somebody else is changing it. A row that was changed while this waited for a lock is
 * read as it is afterwards, because it is locked itself.
 */
export async function lockForAnswer(
  tx: Tx,
  { accountId, contactId, token }: Turn,
  campaignId: CampaignId | null,
): Promise<Locked> {
  const { rows } = await sql<Found>`
    with conversation as materialized (
      select c.epoch, a.bot_active, exists (
          select from contact_channels k where k.account_id = c.account_id and k.contact_id = c.contact_id
        ) as is_on_channels
      from conversations c join accounts a on a.id = c.account_id
      where c.account_id = ${accountId} and c.contact_id = ${contactId}
      for update of c
    ), turn as materialized (
      select last_seq from turns
      where account_id = ${accountId} and contact_id = ${contactId} and lease_token = ${token}
        and (select count(*) from conversation) >= 0 -- the conversation is locked first
      for update
    ), campaign as materialized (
      select status from campaigns
      where account_id = ${accountId} and id = ${campaignId} and (select count(*) from turn) >= 0
      for share nowait
    )
    select c.epoch, c.bot_active, c.is_on_channels, t.last_seq, k.status
    from (values (true)) as always left join turn t on true left join conversation c on true left join campaign k on true
  `.execute(tx)
  const { epoch, botActive = false, isOnChannels = false, lastSeq, status } = rows[0] ?? {}
  return {
    conversation: epoch === null || epoch === undefined ? undefined : { epoch, botActive, isOnChannels },
    turn: lastSeq === null || lastSeq === undefined ? undefined : { lastSeq: BigInt(lastSeq) },
    campaignStatus: status ?? null,
  }
}

/** All null where there is no conversation. */
type Found = { epoch: number; botActive: boolean; isOnChannels: boolean; lastSeq: string | null; status: string | null }

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
