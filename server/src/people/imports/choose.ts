import type { ImportField } from '@patchbay/contract/import-fields.ts'
import { type By, noteAct } from '../../business/audit/store.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { isId, type ListId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { isCountry } from '../contacts/phone.ts'
import { noList } from '../lists/add-contact.ts'
import { createList, readListName } from '../lists/change.ts'
import { findListName } from '../lists/store.ts'
import { deleteBlocks } from './block-store.ts'
import { deleteImport, type ImportRef, type ImportRow, lockImport, updateImport } from './store.ts'
import { noImport, showImport } from './upload.ts'

/** Chooses what each column becomes; the preview is made anew. */
export async function chooseMapping(
  db: Db,
  ref: ImportRef,
  { mapping, country }: Pick<Choice, 'mapping' | 'country'>,
): Promise<ImportRow> {
  requireCountry(country)
  await db.transaction().execute(async (tx) => {
    const job = await lockUnstarted(tx, ref)
    requireFit(job, mapping)
    const chosen = { mapping, country: country === undefined ? job.country : country }
    if (String(job.mapping) === String(mapping) && job.country === chosen.country) return
    await updateImport(tx, ref, { ...chosen, state: 'checking', checked: 0, wrong: 0, known: 0 })
  })
  return showImport(db, ref)
}

type Choice = {
  mapping: ImportField[]
  /** Undefined leaves it as it is. */
  country?: string | null
  listId: string | null
  /** The name of a list that is made. */
  newList?: string | undefined
  overwrites: boolean
}

/** Starts the import, once: said again it changes nothing. */
export async function startImport(
  db: Db,
  ref: ImportRef,
  { by, mapping, country, listId, newList, overwrites }: Choice & { by: By },
): Promise<ImportRow> {
  requireCountry(country)
  await db.transaction().execute(async (tx) => {
    const given = listId === null ? null : await requireList(tx, ref, listId)
    const job = await lockImport(tx, ref)
    if (job?.startedAt) return
    requireFit(await lockUnstarted(tx, ref), mapping)
    if (!['phone', 'email', 'externalId', 'contactId'].some((field) => mapping.includes(field as ImportField))) {
      throw new Refusal(
        'INVALID_REQUEST',
        'Choose a column for the phone number, the e-mail address or the external ID.',
      )
    }
    const list = newList === undefined ? given : await makeList(tx, ref, newList)
    const chosen = { mapping, ...(country !== undefined && { country }), listId: list?.listId ?? null, overwrites }
    await updateImport(tx, ref, { state: 'running', ...chosen })
    const file = job?.fileName ?? ''
    const onto = list && { listId: list.listId, list: list.name }
    const details = { importId: ref.importId, file, rows: job?.rows ?? 0, ...onto }
    await noteAct(tx, ref.accountId, { act: 'contacts imported', ...by, details })
  })
  return showImport(db, ref)
}

type NamedList = { listId: ListId; name: string }

async function requireList(tx: Tx, { accountId }: ImportRef, listId: string): Promise<NamedList> {
  const name = isId('lst', listId) ? await findListName(tx, { accountId, listId }) : undefined
  if (!isId('lst', listId) || name === undefined) throw noList()
  return { listId, name }
}

async function makeList(tx: Tx, { accountId }: ImportRef, given: string): Promise<NamedList> {
  const name = readListName(given)
  return { listId: await createList(tx, accountId, name), name }
}

function requireCountry(country: string | null | undefined): void {
  if (!country || isCountry(country)) return
  throw new Refusal('INVALID_REQUEST', `country is no country with phone numbers: ${country}.`)
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
    if (job.startedAt && job.state !== 'running') return // it is over: finished, stopped, or given up
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
    if (job.startedAt) throw new Refusal('CONFLICT', job.state === 'running' ? canBeStopped : isOver)
    await deleteImport(tx, ref)
  })
}

const canBeStopped = 'This import was started already; it can be stopped.'
const isOver = 'This import was started, and is over: what is in stays in.'
