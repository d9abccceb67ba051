import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId, EntryId } from '../../../platform/ids.ts'
import type { CampaignRef } from './store.ts'

export type ShownEntry = { entryId: EntryId; isOn: boolean; handsOver: boolean; questions: string[]; answer: string }

/** An entry `e` with its texts, as it is shown. */
const shownEntry = (accountId: AccountId) => sql`
  e.id as entry_id, e.is_on, e.hands_over,
  array(
    select text from entry_texts where account_id = ${accountId} and entry_id = e.id and n > 0 order by n
  ) as questions,
  (select text from entry_texts where account_id = ${accountId} and entry_id = e.id and n = 0) as answer`

/** A page of entries in the order in which they were added, on or off, starting after the id `after`. */
export async function listEntries(
  db: Db,
  { accountId, campaignId }: CampaignRef,
  { after, limit }: { after: string; limit: number },
): Promise<ShownEntry[]> {
  const { rows } = await sql<ShownEntry>`
    select ${shownEntry(accountId)}
    from entries e
    where e.account_id = ${accountId} and e.campaign_id = ${campaignId} and e.id > ${after}
    order by e.id
    limit ${limit}
  `.execute(db)
  return rows
}

/** `uses`: how often it was the answer in the last 30 days, up to two minutes ago. */
export type ListedEntry = ShownEntry & { uses: number }

const usesShown = (accountId: AccountId) => sql`
  (
    select coalesce(sum(u.times), 0)::integer from entry_uses u
    where u.account_id = ${accountId} and u.entry_id = e.id and u.day > (now() at time zone 'UTC')::date - 30
  ) as uses`

/** A page of entries, the newest first, before the id `before`; `words`: one of its texts has them. */
export async function listNewestEntries(
  db: Db,
  { accountId, campaignId }: CampaignRef,
  { before, words, limit }: { before: string | null; words: string | null; limit: number },
): Promise<ListedEntry[]> {
  const pattern = words === null ? null : `%${words.replace(/[\\%_]/g, '\\$&')}%`
  const { rows } = await sql<ListedEntry>`
    select ${shownEntry(accountId)}, ${usesShown(accountId)}
    from entries e
    where e.account_id = ${accountId} and e.campaign_id = ${campaignId}
      and (${before}::text is null or e.id < ${before})
      and (${pattern}::text is null or exists (
        select from entry_texts where account_id = ${accountId} and entry_id = e.id and text ilike ${pattern}
      ))
    order by e.id desc
    limit ${limit}
  `.execute(db)
  return rows
}

export async function findEntry(
  db: Db,
  { accountId, campaignId }: CampaignRef,
  entryId: EntryId,
): Promise<ShownEntry | undefined> {
  const { rows } = await sql<ShownEntry>`
    select ${shownEntry(accountId)}
    from entries e
    where e.account_id = ${accountId} and e.campaign_id = ${campaignId} and e.id = ${entryId}
  `.execute(db)
  return rows[0]
}

/** Deletes an entry with its texts. False: the campaign has no such entry. */
export async function dropEntry(tx: Tx, { accountId, campaignId }: CampaignRef, entryId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('entries')
    .where('accountId', '=', accountId)
    .where('campaignId', '=', campaignId)
    .where('id', '=', entryId as EntryId) // any other text matches no row
    .executeTakeFirst()
  return numDeletedRows > 0n
}
