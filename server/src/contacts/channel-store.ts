import { sql } from 'kysely'
import type { Db } from '../platform/database/db.ts'
import type { AccountId } from '../platform/ids.ts'

/** As the app shows it: `colour` is 1 to 8. */
export type ShownChannel = { label: string; colour: number }

const colours = 8

/**
 * The channels with these labels. One that is read for the first time gets the next colour and keeps it; when two
 * requests do so at the same moment, two channels may get the same colour.
 */
export async function findChannels(
  db: Db,
  accountId: AccountId,
  labels: Iterable<string>,
): Promise<(label: string) => ShownChannel> {
  const wanted = [...new Set(labels)]
  const known = await readColours(db, accountId, wanted)
  const missing = wanted.filter((label) => !known.has(label))
  if (missing.length > 0) {
    await insertChannels(db, accountId, missing)
    for (const [label, colour] of await readColours(db, accountId, missing)) known.set(label, colour)
  }
  return (label) => ({ label, colour: known.get(label) ?? 1 }) // deleted at this moment, with the last contact that used it
}

async function readColours(db: Db, accountId: AccountId, labels: string[]): Promise<Map<string, number>> {
  if (labels.length === 0) return new Map()
  const rows = await db
    .selectFrom('channels')
    .select(['label', 'colour'])
    .where('accountId', '=', accountId)
    .where('label', 'in', labels)
    .execute()
  return new Map(rows.map(({ label, colour }) => [label, colour]))
}

async function insertChannels(db: Db, accountId: AccountId, labels: string[]): Promise<void> {
  await sql`
    insert into channels (account_id, label, colour)
    select ${accountId}, l.label, (
      (select count(*) from channels where account_id = ${accountId}) + l.n - 1
    ) % ${colours} + 1
    from unnest(${labels}::text[]) with ordinality as l (label, n)
    on conflict (account_id, label) do nothing
  `.execute(db)
}
