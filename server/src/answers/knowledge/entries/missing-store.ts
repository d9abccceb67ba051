import { sql } from 'kysely'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'
import type { CampaignRef, MissingText } from './store.ts'

/** Whether there is a text without a vector of the model of this parameter. */
export const mayEmbed = (model: string) => `(
  exists (select from entry_texts where model is null)
  or exists (select from entry_texts where model < ${model}) or exists (select from entry_texts where model > ${model}))`

/**
 * Texts of one account that have no vector: of the next after `servedLast`, so that accounts take turns, and a file of
 * 100,000 phrasings, which takes an hour, delays others by a batch. Where no account has any, texts with a vector of another
 * model. There is no lease: when two processes embed the same text, the second result is redundant and harmless. The index
 * does not support "is distinct from", so the condition is spelt out.
 */
export async function readMissing(
  db: Db,
  model: string,
  { limit, servedLast = '' }: { limit: number; servedLast?: string | undefined },
): Promise<MissingText[]> {
  const { rows: next } = await sql<{ accountId: AccountId }>`
    (select account_id from entry_texts where model is null and account_id > ${servedLast} order by account_id limit 1)
    union all (select account_id from entry_texts where model is null order by account_id limit 1)
    limit 1
  `.execute(db)
  const [one] = next
  const { rows } = await sql<MissingText>`
    select t.account_id, t.entry_id, t.n, t.text,
      (select campaign_id from entries where account_id = t.account_id and id = t.entry_id) as campaign_id
    from entry_texts t
    where ${one ? sql`t.model is null and t.account_id = ${one.accountId}` : sql`t.model < ${model} or t.model > ${model}`}
    limit ${limit}
  `.execute(db)
  return rows
}

/** Texts of one campaign that have no vector, or one of another model. */
export async function readMissingOf(
  db: Db,
  { accountId, campaignId }: CampaignRef,
  { model, limit }: { model: string; limit: number },
): Promise<MissingText[]> {
  const { rows } = await sql<MissingText>`
    select t.account_id, t.entry_id, t.n, t.text, ${campaignId} as campaign_id
    from entry_texts t
    where t.account_id = ${accountId} and (t.model is null or t.model < ${model} or t.model > ${model})
      and exists (
        select from entries e where e.account_id = ${accountId} and e.id = t.entry_id and e.campaign_id = ${campaignId}
      )
    limit ${limit}
  `.execute(db)
  return rows
}

/** How many texts of a campaign no model has embedded since they were saved. */
export async function countWithoutVector(db: Db, { accountId, campaignId }: CampaignRef): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from entry_texts t
    where t.account_id = ${accountId} and t.model is null and exists (
      select from entries e where e.account_id = ${accountId} and e.id = t.entry_id and e.campaign_id = ${campaignId}
    )
  `.execute(db)
  return rows[0]?.count ?? 0
}
