import type { ImportState } from '@patchbay/contract/import-fields.ts'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import { deleteInBatches } from '../../platform/database/prune.ts'
import type { ImportRef } from './store.ts'

/** Whoever dies is replaced after this time. */
const lease = sql`now() + interval '10 s'`

/** `attempts`: this one, and those before it that have failed. */
export type DueImport = ImportRef & { state: ImportState; lease: string; attempts: number }

/** Whether there may be an import to work on. */
export const mayImport = `exists (select from imports where state in ('reading', 'checking', 'running'))`

/**
 * Leases the import with work to do that was worked on least recently, so that all accounts take turns. The attempt counts
 * from here on: whoever dies at it cannot count it.
 */
export async function claimImport(db: Db, token: string): Promise<DueImport[]> {
  const { rows } = await sql<DueImport>`
    update imports set leased_until = ${lease}, lease = ${token}, served_at = clock_timestamp(),
      attempts = attempts + 1
    where ctid = any (array(
      select ctid from imports where state in ('reading', 'checking', 'running') and leased_until < now()
      order by served_at limit 1 for update skip locked
    ))
    returning account_id, id as import_id, state, lease, attempts
  `.execute(db)
  return rows
}

/** Renews the lease; false: it is not ours any more. In a transaction, nobody else gets it before that ends. */
export async function renewLease(tx: Tx, { accountId, importId, lease: token }: DueImport): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update imports set leased_until = ${lease}
    where account_id = ${accountId} and id = ${importId} and lease = ${token}
  `.execute(tx)
  return numAffectedRows > 0n
}

/** The end of a turn that has not failed. */
export async function giveBack(db: Db, { accountId, importId, lease: token }: DueImport): Promise<void> {
  await sql`
    update imports set leased_until = '-infinity', attempts = 0
    where account_id = ${accountId} and id = ${importId} and lease = ${token}
  `.execute(db)
}

/** The end of a turn that has failed: the next waits, longer each time, for what is wrong may pass. */
export async function putOff(db: Db, { accountId, importId, lease: token, attempts }: DueImport): Promise<void> {
  await sql`
    update imports set leased_until = now() + ${attempts} * interval '10 s'
    where account_id = ${accountId} and id = ${importId} and lease = ${token}
  `.execute(db)
}

/**
 * Deletes what is kept for a limited time: uploads that were left, after an hour; files that nobody imported, after a day;
 * and rows that were not imported, with all that is left of their import, after 30 days.
 */
export async function pruneImports(db: Db): Promise<number> {
  const errors = await deleteInBatches(
    db,
    (limit) => sql`
      delete from import_errors where ctid = any (array(
        select e.ctid from import_errors e join imports i on i.account_id = e.account_id and i.id = e.import_id
        where i.ended_at < now() - interval '30 days' limit ${limit}
      ))`,
  )
  const imports = await deleteInBatches(
    db,
    (limit) => sql`
      delete from imports where ctid = any (array(
        select ctid from imports
        where ended_at < now() - interval '30 days'
          or state = 'uploading' and created_at < now() - interval '1 hour'
          or state in ('reading', 'checking', 'ready') and created_at < now() - interval '1 day'
        limit ${limit}
      ))`,
  )
  return errors + imports
}
