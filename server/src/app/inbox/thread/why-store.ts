import type { CampaignSettings } from '@patchbay/contract/campaigns.ts'
import { sql } from 'kysely'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId, MessageId } from '../../../platform/ids.ts'

export type Why = {
  outcome: 'answered' | 'offered' | 'fell back' | 'handed over' | 'silent' | 'skipped'
  reason: string
  routing: string | null
  campaignId: string | null
  /** The name of the campaign; null when it is gone. */
  campaignName: string | null
  campaignVersion: number | null
  settings: Partial<CampaignSettings> | null
  engine: string | null
  model: string | null
  /** An entry that was deleted since has no question. */
  sources: { entryId: string; question: string | null; score: number }[]
  inputTokens: number | null
  outputTokens: number | null
  durationMs: number | null
  /** What was charged for it. */
  units: string | null
  createdAt: Date
}

/** The first phrasing of an entry has the number 1; 0 is its answer. */
const question = 1

/** The decision in which the bot sent this message, or which covers this incoming one. */
export async function findWhy(db: Db, accountId: AccountId, messageId: MessageId): Promise<Why | undefined> {
  const { rows } = await sql<Why>`
    with answer as materialized (
      select a.* from messages m
      join answers a on a.account_id = ${accountId} and a.contact_id = m.contact_id and a.from_seq <= m.seq
      where m.account_id = ${accountId} and m.id = ${messageId}
        and (a.message_id = m.id or m.direction = 'incoming' and a.to_seq >= m.seq)
      order by a.from_seq desc limit 1
    )
    select a.outcome, a.reason, a.routing, a.campaign_id, c.name as campaign_name, a.campaign_version, c.settings,
      a.engine, a.model, coalesce((
        select json_agg(json_build_object('entryId', s."entryId", 'score', s.score, 'question', (
          select t.text from entry_texts t
          where t.account_id = ${accountId} and t.entry_id = s."entryId" and t.n = ${question}
        )) order by s.score desc)
        from jsonb_to_recordset(a.sources) as s ("entryId" text, score float)
      ), '[]') as sources,
      a.input_tokens, a.output_tokens, a.duration_ms, a.created_at,
      (select l.amount from ledger l
        where l.account_id = ${accountId} and l.contact_id = a.contact_id and l.from_seq = a.from_seq) as units
    from answer a left join campaigns c on c.account_id = ${accountId} and c.id = a.campaign_id
  `.execute(db)
  return rows[0]
}
