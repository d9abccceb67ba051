/**
 * The entries of a campaign, its knowledge: each has one answer, several phrasings of its question, and a vector for
 * every text. `knowledge_version` of the campaign counts the changes.
 */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId, CampaignId, EntryId } from '../../../platform/ids.ts'

export type CampaignRef = { accountId: AccountId; campaignId: CampaignId }

/** A campaign to be asked: `knowledgeVersion` where it was read already, just before. */
export type AskedCampaign = CampaignRef & { knowledgeVersion?: number | undefined }

/** Increases with every change of the campaign's entries. 0: there are none, or no such campaign. */
export async function readVersion(db: Db, { accountId, campaignId }: CampaignRef): Promise<number> {
  const row = await db
    .selectFrom('campaigns')
    .select('knowledgeVersion')
    .where('accountId', '=', accountId)
    .where('id', '=', campaignId)
    .executeTakeFirst()
  return row?.knowledgeVersion ?? 0
}

/**
 * Locks the entries of this campaign against other changes until the transaction ends, without locking the campaign's
 * row: answers need that. False: there is no such campaign.
 */
export async function lockKnowledge(tx: Tx, { accountId, campaignId }: CampaignRef): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`knowledge ${accountId} ${campaignId}`}, 0))`.execute(tx)
  const { rows } = await sql`
    select from campaigns where account_id = ${accountId} and id = ${campaignId}
  `.execute(tx)
  return rows.length > 0
}

/** Call it last in a transaction, because it locks the campaign's row. False: there is no such campaign. */
export async function raiseVersion(tx: Tx, { accountId, campaignId }: CampaignRef): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('campaigns')
    .set({ knowledgeVersion: sql`knowledge_version + 1` })
    .where('accountId', '=', accountId)
    .where('id', '=', campaignId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** An entry with its texts: the answer, then the questions. A vector of another model is read as null. */
export type StoredEntry = { entryId: EntryId; handsOver: boolean; texts: StoredText[] }
export type StoredText = { text: string; vector: Float32Array | null }

/**
 * A page of the entries that are on, in the order of their ids, starting after the id `after`. The lateral join here
 * and below forces a lookup per entry: on freshly filled tables PostgreSQL assumes that both sides of a join are small
 * and compares all rows with all, which exceeds the statement timeout at 5,000 entries.
 */
export async function readEntries(
  db: Db,
  { accountId, campaignId }: CampaignRef,
  { after, limit, model }: { after: string; limit: number; model: string },
): Promise<StoredEntry[]> {
  const { rows } = await sql<{ entryId: EntryId; handsOver: boolean; text: string; vector: Buffer | null }>`
    with page as (
      select id, hands_over from entries
      where account_id = ${accountId} and campaign_id = ${campaignId} and is_on and id > ${after}
      order by id
      limit ${limit}
    )
    select p.id as entry_id, p.hands_over, t.text, case when t.model = ${model} then t.vector end as vector
    from page p cross join lateral (
      select * from entry_texts where account_id = ${accountId} and entry_id = p.id offset 0
    ) as t
    order by p.id, t.n
  `.execute(db)
  const entries: StoredEntry[] = []
  for (const { entryId, handsOver, text, vector } of rows) {
    if (entries.at(-1)?.entryId !== entryId) entries.push({ entryId, handsOver, texts: [] })
    entries.at(-1)?.texts.push({ text, vector: vector && vectorOf(vector) })
  }
  return entries
}

type EntryRow = { entryId: EntryId; question: string; answer: string; handsOver: boolean }

/** These entries, in this order, without those that are off. */
export async function findEntries(
  db: Db,
  { accountId, campaignId }: CampaignRef,
  entryIds: readonly EntryId[],
): Promise<EntryRow[]> {
  if (entryIds.length === 0) return []
  const { rows } = await sql<EntryRow>`
    select e.id as entry_id, e.hands_over,
      (select text from entry_texts where account_id = ${accountId} and entry_id = e.id and n = 1) as question,
      (select text from entry_texts where account_id = ${accountId} and entry_id = e.id and n = 0) as answer
    from entries e
    where e.account_id = ${accountId} and e.campaign_id = ${campaignId} and e.is_on and e.id = any (${entryIds})
    order by array_position(${entryIds}::text[], e.id)
  `.execute(db)
  return rows
}

/** All entries of the campaign, on or off, with the first of their questions. */
export async function readFirstQuestions(
  db: Db,
  { accountId, campaignId }: CampaignRef,
): Promise<{ entryId: EntryId; question: string }[]> {
  const { rows } = await sql<{ entryId: EntryId; question: string }>`
    select e.id as entry_id,
      (select text from entry_texts where account_id = ${accountId} and entry_id = e.id and n = 1) as question
    from entries e
    where e.account_id = ${accountId} and e.campaign_id = ${campaignId}
  `.execute(db)
  return rows
}

export type NewEntry = { entryId: EntryId; texts: string[]; isOn: boolean; handsOver: boolean }

/**
 * Inserts or replaces entries, each with its answer and its questions. An unchanged text keeps its vector, so that
 * importing a file again needs no embedding.
 */
export async function saveEntries(tx: Tx, { accountId, campaignId }: CampaignRef, entries: NewEntry[]): Promise<void> {
  const written = JSON.stringify(
    entries.map(({ entryId, isOn, handsOver, texts }) => ({ id: entryId, is_on: isOn, hands_over: handsOver, texts })),
  )
  await sql`
    insert into entries (account_id, id, campaign_id, is_on, hands_over)
    select ${accountId}, id, ${campaignId}, is_on, hands_over
    from jsonb_to_recordset(${written}::jsonb) as given (id text, is_on boolean, hands_over boolean)
    on conflict (account_id, id) do update set is_on = excluded.is_on, hands_over = excluded.hands_over
  `.execute(tx)
  await sql`
    with given as (
      select g.id, t.text, t.ordinality - 1 as n, jsonb_array_length(g.texts) as length
      from jsonb_to_recordset(${written}::jsonb) as g (id text, texts jsonb),
        jsonb_array_elements_text(g.texts) with ordinality as t (text)
    ), surplus as (
      delete from entry_texts t using (select distinct id, length from given) as g
      where t.account_id = ${accountId} and t.entry_id = g.id and t.n >= g.length
    )
    insert into entry_texts as t (account_id, entry_id, n, text)
    select ${accountId}, id, n, text from given
    on conflict (account_id, entry_id, n) do update
    set text = excluded.text, model = null, vector = null
    where t.text <> excluded.text
  `.execute(tx)
}

export type MissingText = { accountId: AccountId; campaignId: CampaignId; entryId: EntryId; n: number; text: string }
export type EmbeddedText = MissingText & { vector: Float32Array }

/**
 * Saves vectors, each only if its text has not changed meanwhile. The campaigns are locked first, so that of two
 * processes that save the last missing vectors one sees that. The version is raised with the last missing vector;
 * before that one time in ten, because after each raise the next question loads all entries again, and thousands may be
 * missing. A text that is locked is skipped: an import holds many of them and then needs the campaign, so waiting could
 * deadlock.
 */
export async function saveVectors(db: Db, model: string, embedded: EmbeddedText[]): Promise<void> {
  const column = <Value>(read: (row: EmbeddedText) => Value) => embedded.map(read)
  await sql`
    with given as (
      select * from unnest(
        ${column((row) => row.accountId)}::text[], ${column((row) => row.campaignId)}::text[],
        ${column((row) => row.entryId)}::text[], ${column((row) => row.n)}::int[],
        ${column((row) => row.text)}::text[], ${column((row) => bytesOf(row.vector))}::bytea[]
      ) as given (account_id, campaign_id, entry_id, n, text, vector)
    ), locked as (
      select account_id, id from campaigns
      where (account_id, id) in (select account_id, campaign_id from given)
      order by account_id, id
      for no key update
    ), free as (
      select g.account_id, g.campaign_id, g.entry_id, g.n, g.vector
      from given g join locked l on l.account_id = g.account_id and l.id = g.campaign_id
      join entry_texts t on t.account_id = g.account_id and t.entry_id = g.entry_id and t.n = g.n and t.text = g.text
      for no key update of t skip locked
    ), saved as (
      update entry_texts t set model = ${model}, vector = f.vector
      from free f
      where t.account_id = f.account_id and t.entry_id = f.entry_id and t.n = f.n
      returning f.account_id, f.campaign_id, t.entry_id, t.n
    )
    update campaigns c set knowledge_version = knowledge_version + 1
    from (select distinct account_id, campaign_id from saved) as s
    where c.account_id = s.account_id and c.id = s.campaign_id and (random() < 0.1 or not exists (
      select from entries e cross join lateral (
        select * from entry_texts where account_id = e.account_id and entry_id = e.id offset 0
      ) as t
      where e.account_id = s.account_id and e.campaign_id = s.campaign_id and t.model is distinct from ${model}
        and not exists (select from saved d where d.entry_id = t.entry_id and d.n = t.n)
    ))
  `.execute(db)
}

/** Vectors are stored as 32-bit floats, little-endian like every machine that we run on. */
export function bytesOf(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
}

export function vectorOf(bytes: Buffer): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer) // copied, because the bytes of a column may be unaligned
}

export async function countEntries(db: Db, { accountId, campaignId }: CampaignRef): Promise<number> {
  const { entries } = await db
    .selectFrom('entries')
    .select(({ fn }) => fn.countAll().as('entries'))
    .where('accountId', '=', accountId)
    .where('campaignId', '=', campaignId)
    .executeTakeFirstOrThrow()
  return Number(entries)
}
