import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId, ContactId, MessageId } from '../../../platform/ids.ts'

/** The words of one message. */
export type Line = { messageId: MessageId; contactId: ContactId; text: string }

/** Lines, and their terms if the block is sealed. */
export type NewBlock = { lines: Line[]; terms: Set<number> | undefined }
export type Block = { id: string; lines: Line[] }

/** The columns as JSON: `pg` reads its arrays several times more slowly. */
const columns = sql`id, to_json(message_ids) as message_ids, to_json(contact_ids) as contact_ids, texts`

type Row = { id: string; messageIds: MessageId[]; contactIds: ContactId[]; texts: string }

/** Blocks that are not sealed. */
export async function readOpenBlocks(db: Db, accountId: AccountId): Promise<Block[]> {
  const { rows } = await sql<Row>`
    select ${columns} from message_search where account_id = ${accountId} and terms is null
  `.execute(db)
  return rows.map(blockOf)
}

/** Sealed blocks with this term, up to `limit`. */
export async function readSealedBlocks(
  tx: Tx,
  accountId: AccountId,
  { term, limit }: { term: number; limit: number },
): Promise<Block[]> {
  await preferTermIndex(tx)
  const { rows } = await sql<Row>`
    select ${columns} from message_search
    where account_id = ${accountId} and terms @> array[${term}]::integer[] limit ${limit}
  `.execute(tx)
  return rows.map(blockOf)
}

/** Sealed blocks whose oldest message has an id before this one: the messages of a block are in the order of their ids. */
export async function readOldestBlocks(
  tx: Tx,
  accountId: AccountId,
  { beforeId, limit }: { beforeId: string; limit: number },
): Promise<Block[]> {
  await preferIndexes(tx)
  const { rows } = await sql<Row>`
    select ${columns} from message_search
    where account_id = ${accountId} and terms is not null and message_ids[1] < ${beforeId}
    order by message_ids[1] limit ${limit}
  `.execute(tx)
  return rows.map(blockOf)
}

/** Those of these blocks that have a line with all these texts. */
export async function readBlocksWith(
  tx: Tx,
  accountId: AccountId,
  { ids, needles }: { ids: string[]; needles: string[] },
): Promise<Block[]> {
  const hasAll = (text: RawBuilder<unknown>) => {
    const each = needles.map((needle) => sql`strpos(${text}, ${needle}) > 0`)
    return sql.join(each, sql` and `)
  }
  const inOneLine = sql`exists (select from unnest(string_to_array(texts, ${'\n'})) as l (text) where ${hasAll(sql`l.text`)})`
  // Texts lie outside of the row: without the inner query each comparison would fetch them again, a third of the time.
  const { rows } = await sql<Row>`
    select ${columns} from (
      select id, message_ids, contact_ids, texts || '' as texts from message_search
      where account_id = ${accountId} and id = any (${ids}::uuid[]) offset 0
    ) as b
    where ${hasAll(sql`texts`)} and ${needles.length > 1 ? inOneLine : sql`true`}
  `.execute(tx)
  return rows.map(blockOf)
}

export type Candidate = { id: string; newestId: string }

/** The newest sealed blocks, whatever is in them. */
export async function findNewest(tx: Tx, accountId: AccountId, limit: number): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select id, newest_id from message_search
    where account_id = ${accountId} and terms is not null order by newest_id desc limit ${limit}
  `.execute(tx)
  return rows
}

/** Sealed blocks with all these terms, the newest first, after `beforeId`. */
export async function findCandidates(
  tx: Tx,
  accountId: AccountId,
  { terms, beforeId, limit }: { terms: number[]; beforeId: string; limit: number },
): Promise<Candidate[]> {
  await preferTermIndex(tx)
  const { rows } = await sql<Candidate>`
    select id, newest_id from message_search
    where account_id = ${accountId} and terms @> ${terms}::integer[] and newest_id < ${beforeId}
    order by newest_id desc limit ${limit}
  `.execute(tx)
  return rows
}

/**
 * For a term that most blocks have, PostgreSQL would read all rows one after the other, because it does not know what it
 * costs to fetch their terms from outside of the row: a second instead of some milliseconds for a million messages.
 */
async function preferTermIndex(tx: Tx): Promise<void> {
  await sql`select set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)`.execute(tx)
}

/** PostgreSQL does not know either what it costs to fetch texts. */
export async function preferIndexes(tx: Tx): Promise<void> {
  await sql`select set_config('enable_seqscan', 'off', true)`.execute(tx)
}

export async function insertBlocks(tx: Tx, accountId: AccountId, blocks: NewBlock[]): Promise<void> {
  if (blocks.length === 0) return
  const rows = blocks.map(({ lines, terms }) => ({
    messageIds: lines.map(({ messageId }) => messageId),
    contactIds: lines.map(({ contactId }) => contactId),
    texts: lines.map(({ text }) => text).join('\n'),
    newestId: newestOf(lines),
    terms: terms && [...terms],
  }))
  // As JSON: `pg` has no arrays of arrays of different lengths.
  await sql`
    insert into message_search (account_id, newest_id, message_ids, contact_ids, texts, terms)
    select ${accountId}, "newestId", "messageIds", "contactIds", texts, terms
    from json_to_recordset(${JSON.stringify(rows)}) as b (
      "newestId" text, "messageIds" text[], "contactIds" text[], texts text, terms integer[]
    )
  `.execute(tx)
}

function newestOf(lines: Line[]): string {
  return lines.reduce((newest, { messageId }) => (messageId > newest ? messageId : newest), '')
}

export async function deleteBlocks(tx: Tx, accountId: AccountId, blocks: Block[]): Promise<void> {
  const ids = blocks.map(({ id }) => id)
  if (ids.length === 0) return
  await sql`delete from message_search where account_id = ${accountId} and id = any (${ids}::uuid[])`.execute(tx)
}

function blockOf({ id, messageIds, contactIds, texts }: Row): Block {
  const lines = texts.split('\n').map((text, n) => ({
    messageId: messageIds[n] as MessageId, // as many as there are lines
    contactId: contactIds[n] as ContactId,
    text,
  }))
  return { id, lines }
}
