import type { ImportField } from '@patchbay/contract/import-fields.ts'
import { type By, noteAct } from '../audit/store.ts'
import { noList } from '../lists/add-contact.ts'
import { hasList } from '../lists/store.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import { isId, type ListId } from '../platform/ids.ts'
import { Refusal } from '../platform/refusal.ts'
import { deleteBlocks } from './block-store.ts'
import { deleteImport, type ImportRef, type ImportRow, lockImport, updateImport } from './store.ts'
import { noImport, showImport } from './upload.ts'

/** Chooses what each column becomes; the preview is made anew. */
export async function chooseMapping(db: Db, ref: ImportRef, mapping: ImportField[]): Promise<ImportRow> {
  await db.transaction().execute(async (tx) => {
    const job = await lockUnstarted(tx, ref)
    requireFit(job, mapping)
    if (String(job.mapping) === String(mapping)) return
    await updateImport(tx, ref, { mapping, state: 'checking', checked: 0, wrong: 0, known: 0 })
  })
  return showImport(db, ref)
}

type Choice = { mapping: ImportField[]; listId: string | null; overwrites: boolean }

/** Starts the import, once: said again it changes nothing. */
export async function startImport(
  db: Db,
  ref: ImportRef,
  { by, mapping, listId, overwrites }: Choice & { by: By },
): Promise<ImportRow> {
  await db.transaction().execute(async (tx) => {
    const list = listId === null ? null : await requireList(tx, ref, listId)
    const job = await lockImport(tx, ref)
    if (job?.startedAt) return
    requireFit(await lockUnstarted(tx, ref), mapping)
    if (!['phone', 'email', 'externalId', 'contactId'].some((field) => mapping.includes(field as ImportField))) {
      throw new Refusal(
        'INVALID_REQUEST',
        'Choose a column for the phone number, the e-mail address or the external ID.',
      )
    }
    await updateImport(tx, ref, { state: 'running', mapping, listId: list, overwrites })
    const details = { importId: ref.importId, rows: job?.rows ?? 0, ...(list && { listId: list }) }
    await noteAct(tx, ref.accountId, { act: 'contacts imported', ...by, details })
  })
  return showImport(db, ref)
}

async function requireList(tx: Tx, { accountId }: ImportRef, listId: string): Promise<ListId> {
  if (!isId('lst', listId) || !(await hasList(tx, { accountId, listId }))) throw noList()
  return listId
}

function requireFit(job: ImportRow, mapping: ImportField[]): void {
  if (mapping.length === job.headers.length) return
  throw new Refusal('INVALID_REQUEST', `The file has ${job.headers.length} columns; mapping has ${mapping.length}.`)
}

async function lockUnstarted(tx: Tx, ref: ImportRef): Promise<ImportRow> {
  const job = await lockImport(tx, ref)
  if (!job) throw noImport()
  if (job.state === 'checking' || job.state === 'ready') return job
  const isEarly = job.state === 'uploading' || job.state === 'reading'
  throw new Refusal('CONFLICT', isEarly ? 'The file is not read yet.' : 'This import was started already.')
}

/** Ends a running import after the batch that it is at: what is in stays in. */
export async function stopImport(db: Db, ref: ImportRef): Promise<ImportRow> {
  await db.transaction().execute(async (tx) => {
    const job = await lockImport(tx, ref)
    if (!job) throw noImport()
    if (job.state === 'finished' || job.state === 'stopped') return
    if (job.state !== 'running') throw new Refusal('CONFLICT', 'This import was not started.')
    await deleteBlocks(tx, ref)
    await updateImport(tx, ref, { state: 'stopped' })
  })
  return showImport(db, ref)
}

/** Forgets an import that was not started, with its file. */
export async function discardImport(db: Db, ref: ImportRef): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const job = await lockImport(tx, ref)
    if (!job) throw noImport()
    if (job.startedAt) throw new Refusal('CONFLICT', 'This import was started already; it can be stopped.')
    await deleteImport(tx, ref)
  })
}
