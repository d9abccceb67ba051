import type { Identifiers } from '../contacts/opt-out-store.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import { withLockTimeout } from '../platform/database/lock-timeout.ts'
import type { AccountId } from '../platform/ids.ts'
import { type Block, findBlockWith, updateBlock } from './block-store.ts'
import { deleteErrorsWith } from './error-store.ts'
import { keysOf } from './import-batch.ts'
import { firstOf } from './read-file.ts'
import { type ImportRef, listImports, lockImport, updateImport } from './store.ts'

/** All that are kept: 30 days of them. */
const mostImports = 10_000

/**
 * Forgets a person in the imports of an account: rows that were not imported, and rows that wait to be. A row is found by
 * any cell that has one of the identifiers, in a spelling that would be recognized; another one is forgotten with its
 * import.
 */
export async function forgetInImports(db: Db, accountId: AccountId, who: Identifiers): Promise<void> {
  const keys = Object.values({ externalId: who.externalId, phone: who.phone, email: who.email }).flatMap(
    (key) => key ?? [],
  )
  if (keys.length === 0) return
  for (const { id } of await listImports(db, accountId, mostImports)) {
    await withLockTimeout(db, (tx) => forgetIn(tx, { accountId, importId: id }, new Set(keys)))
  }
}

async function forgetIn(tx: Tx, ref: ImportRef, keys: Set<string>): Promise<void> {
  const job = await lockImport(tx, ref)
  if (!job) return
  const errors = await deleteErrorsWith(tx, ref, [...keys])
  await updateImport(tx, ref, { failed: job.failed - errors, forgotten: job.forgotten + errors })
  const texts = [...keys].map((key) => key.toLowerCase())
  const digits = [...keys].filter((key) => key.startsWith('+')).map((key) => key.slice(1))
  for (let after = -1; ; ) {
    const block = await findBlockWith(tx, ref, { texts, digits, after })
    if (!block) return
    await forgetInBlock(tx, ref, block, keys)
    after = block.fromRow
  }
}

async function forgetInBlock(tx: Tx, ref: ImportRef, { fromRow, rows }: Block, keys: Set<string>): Promise<void> {
  const isTheirs = ([, ...cells]: [number, ...string[]]) => keysOf(cells).some((key) => keys.has(key))
  const left = rows.map((row) => (row !== null && isTheirs(row) ? null : row))
  await updateBlock(tx, ref, { fromRow, rows: left })
  const cells = left.flatMap((row) => (row === null ? [] : [row.slice(1) as string[]]))
  if (fromRow === 0) await updateImport(tx, ref, { firstRows: firstOf(cells) })
}
