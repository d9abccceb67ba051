import type { ImportEncoding } from '@patchbay/contract/import-fields.ts'
import { limits } from '@patchbay/contract/limits.ts'
import type { Db } from '../../platform/database/db.ts'
import { type AccountId, isId, newId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { insertPart, readPart } from './block-store.ts'
import { findImport, type ImportRef, type ImportRow, insertImport, lockImport, updateImport } from './store.ts'

export async function beginImport(
  db: Db,
  accountId: AccountId,
  given: { fileName: string; encoding: ImportEncoding },
): Promise<ImportRow> {
  const ref = { accountId, importId: newId('imp') }
  const most = limits.unfinishedImports
  const isNew = await db.transaction().execute((tx) => insertImport(tx, ref, { ...given, most }))
  if (!isNew) {
    throw new Refusal('CONFLICT', `${most} imports are not finished yet. Finish or discard one of them first.`)
  }
  return showImport(db, ref)
}

/** Another account's import gets the same answer as one that does not exist. */
export function requireImport(accountId: AccountId, importId: string): ImportRef {
  if (!isId('imp', importId)) throw noImport()
  return { accountId, importId }
}

export async function showImport(db: Db, ref: ImportRef): Promise<ImportRow> {
  const found = await findImport(db, ref)
  if (!found) throw noImport()
  return found
}

export function noImport(): Refusal {
  return new Refusal('NOT_FOUND', 'There is no such import.')
}

/**
 * Keeps a part of the file. They come in order; one whose answer got lost is sent again, and changes nothing if it is the
 * same.
 */
export async function keepPart(db: Db, ref: ImportRef, { n, text }: { n: number; text: string }): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const job = await lockImport(tx, ref)
    if (!job) throw noImport()
    if (n < job.parts && (await readPart(tx, ref, n)) === text) return
    if (job.state !== 'uploading') throw new Refusal('CONFLICT', 'The file of this import is complete already.')
    if (n !== job.parts) throw new Refusal('CONFLICT', `Part ${job.parts} is the next; this is part ${n}.`)
    const bytes = job.bytes + Buffer.byteLength(text)
    if (bytes > limits.importBytes) {
      throw new Refusal('PAYLOAD_TOO_LARGE', `A file can have ${limits.importBytes / 1024 / 1024} MiB.`)
    }
    await insertPart(tx, ref, { n, text })
    await updateImport(tx, ref, { parts: n + 1, bytes })
  })
}

/** All parts are there. Said again, it changes nothing. */
export async function readUpload(db: Db, ref: ImportRef, parts: number): Promise<ImportRow> {
  await db.transaction().execute(async (tx) => {
    const job = await lockImport(tx, ref)
    if (!job) throw noImport()
    if (job.parts !== parts) throw new Refusal('CONFLICT', `${job.parts} parts of the file are here, not ${parts}.`)
    if (job.state === 'uploading') await updateImport(tx, ref, { state: 'reading' })
  })
  return showImport(db, ref)
}
