import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../../platform/ids.ts'
import { bytesOf, type CampaignRef, vectorOf } from '../entries/store.ts'

/** The group of a wording that is stored already. */
export async function findGroup(
  db: Db,
  { accountId, campaignId }: CampaignRef,
  question: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('unanswered')
    .select('groupId')
    .where('accountId', '=', accountId)
    .where('campaignId', '=', campaignId)
    .where('question', '=', question)
    .executeTakeFirst()
  return row?.groupId
}

export type GroupedQuestion = { groupId: string; vector: Float32Array }

/** The questions asked last that have a vector of this model, with their groups. */
export async function readLatest(
  db: Db,
  { accountId, campaignId }: CampaignRef,
  { model, limit }: { model: string; limit: number },
): Promise<GroupedQuestion[]> {
  const { rows } = await sql<{ groupId: string; vector: Buffer }>`
    select group_id, vector from unanswered
    where account_id = ${accountId} and campaign_id = ${campaignId} and model = ${model}
    order by last_at desc
    limit ${limit}
  `.execute(db)
  return rows.map(({ groupId, vector }) => ({ groupId, vector: vectorOf(vector) }))
}

export type UnansweredQuestion = {
  /** What it is compared by. */
  question: string
  /** The question as it was written. */
  asked: string
  /** The group of a new wording; a stored one keeps its own. */
  groupId: string
  vector: { model: string; values: Float32Array } | null
  /** The score of the nearest entry; null: the engine gave none. */
  nearest: number | null
}

/** Stores a question, or counts it, with who asked it. Lock order: the wording, then the asker, as in `deleteAsker`. */
export async function writeUnanswered(
  tx: Tx,
  { accountId, campaignId, contactId }: CampaignRef & { contactId: ContactId },
  { question, asked, groupId, vector, nearest }: UnansweredQuestion,
): Promise<void> {
  const [model, bytes] = vector ? [vector.model, bytesOf(vector.values)] : [null, null]
  await sql`
    with wording as (
      insert into unanswered as u (account_id, campaign_id, question, asked, group_id, model, vector, nearest)
      values (${accountId}, ${campaignId}, ${question}, ${asked}, ${groupId}, ${model}, ${bytes}, ${nearest})
      on conflict (account_id, campaign_id, question) do update
      set times = u.times + 1, last_at = now(), asked = coalesce(u.asked, excluded.asked), nearest = excluded.nearest
      returning u.id
    )
    insert into unanswered_askers as a (account_id, unanswered_id, contact_id, last_at)
    select ${accountId}, id, ${contactId}, now() from wording
    on conflict (account_id, unanswered_id, contact_id) do update set times = a.times + 1, last_at = now()
  `.execute(tx)
}

/** Deletes what was asked the longest ago, above so many wordings; a frequent one was asked recently, and stays. */
export async function deleteSurplus(db: Db, { accountId, campaignId }: CampaignRef, most: number): Promise<void> {
  await sql`
    delete from unanswered where account_id = ${accountId} and id = any (array(
      select id from unanswered where account_id = ${accountId} and campaign_id = ${campaignId}
      order by last_at desc
      offset ${most} limit 100
    ))
  `.execute(db)
}

/**
 * Removes a contact from the askers: lowers the counts and deletes the wordings that only this contact used. Lock
 * order: wordings by id, then askers.
 */
export async function deleteAsker(
  tx: Tx,
  { accountId, contactId }: { accountId: AccountId; contactId: ContactId },
): Promise<void> {
  await sql`
    select id from unanswered
    where account_id = ${accountId} and id in (
      select unanswered_id from unanswered_askers where account_id = ${accountId} and contact_id = ${contactId}
    )
    order by id for update
  `.execute(tx)
  const { rows } = await sql<{ id: string }>`
    with gone as (
      delete from unanswered_askers where account_id = ${accountId} and contact_id = ${contactId}
      returning unanswered_id, times
    )
    update unanswered u set times = u.times - gone.times
    from gone
    where u.account_id = ${accountId} and u.id = gone.unanswered_id
    returning u.id
  `.execute(tx)
  const ids = rows.map(({ id }) => id)
  await deleteWordings(tx, accountId, ids, { evenIfAsked: false })
}

export async function deleteWordings(
  db: Db,
  accountId: AccountId,
  ids: string[],
  { evenIfAsked }: { evenIfAsked: boolean },
): Promise<void> {
  await sql`
    delete from unanswered u
    where u.account_id = ${accountId} and u.id = any (${ids}::uuid[]) and (${evenIfAsked} or not exists (
      select from unanswered_askers a where a.account_id = u.account_id and a.unanswered_id = u.id
    ))
  `.execute(db)
}

/** Writes down how near the nearest entry is now. */
export async function writeNearest(
  db: Db,
  accountId: AccountId,
  scores: { id: string; nearest: number }[],
): Promise<void> {
  if (scores.length === 0) return
  await sql`
    update unanswered u set nearest = s.nearest
    from unnest(${scores.map(({ id }) => id)}::uuid[], ${scores.map(({ nearest }) => nearest)}::real[]) as s (id, nearest)
    where u.account_id = ${accountId} and u.id = s.id
  `.execute(db)
}

/** Deletes a group of wordings. False: the campaign has no such group. */
export async function deleteGroup(db: Db, { accountId, campaignId }: CampaignRef, groupId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('unanswered')
    .where('accountId', '=', accountId)
    .where('campaignId', '=', campaignId)
    .where('groupId', '=', groupId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes these wordings, which are answered now: as they were written, or what they are compared by. */
export async function deleteAnswered(
  db: Db,
  { accountId, campaignId }: CampaignRef,
  { questions, asked }: { questions: string[]; asked: string[] },
): Promise<void> {
  if (asked.length === 0) return
  await db
    .deleteFrom('unanswered')
    .where('accountId', '=', accountId)
    .where('campaignId', '=', campaignId)
    .where((where) => where.or([where('question', 'in', questions), where('asked', 'in', asked)]))
    .execute()
}
