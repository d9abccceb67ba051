import type { Movement, OwnMovement } from '@patchbay/contract/app/agency.ts'
import { type ShownEntry, showHistory } from '../../business/credits/history.ts'
import { ofAnAnswer } from '../../business/credits/spend.ts'
import type { Sendable } from '../../business/sessions/handlers.ts'
import type { Db } from '../../platform/database/db.ts'
import { type AccountId, isId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { csvLine, csvStart } from '../../platform/text/csv.ts'
import { findContactNames, findReversed, findUserNames } from './store.ts'

type SubaccountRef = { agencyId: AccountId; accountId: AccountId }
type Page<Item> = { movements: Sendable<Item>[]; next: string | null }
type PageQuery = { before?: string; limit?: string }

const usualLimit = 50

/** The history as an agency sees it: no contact is named, neither by name nor by id. */
export async function agencyHistory(db: Db, whose: SubaccountRef, asked: PageQuery): Promise<Page<Movement>> {
  const { entries, next } = await readPage(db, whose, asked)
  return { movements: await describe(db, whose, entries), next }
}

/** The history as the sub-account sees it. */
export async function ownHistory(
  db: Db,
  whose: SubaccountRef & { agencyName: string },
  asked: PageQuery,
): Promise<Page<OwnMovement>> {
  const { entries, next } = await readPage(db, whose, asked)
  const contactIds = entries.map(({ contactId }) => contactId)
  const names = await findContactNames(
    db,
    whose.accountId,
    contactIds.flatMap((id) => id ?? []),
  )
  const shown = await describe(db, whose, entries)
  const movements = shown.map((movement, at) => {
    const id = contactIds[at] ?? null
    return { ...movement, contact: id === null ? null : { id, name: names.get(id) ?? null } }
  })
  return { movements, next }
}

const pageOfFile = 1_000
const head = ['When', 'What', 'Description', 'By', 'Credits', 'Balance', 'ID']

/** The whole history as a CSV file, piece by piece. It names no contact, whoever asks. */
export async function* historyCsv(db: Db, whose: Reader): AsyncGenerator<string> {
  yield csvStart + csvLine(head)
  for (let before: number | undefined; ; ) {
    const { entries, next } = await showHistory(db, whose.accountId, { before, limit: pageOfFile })
    const movements = await describe(db, whose, entries)
    yield movements.map(lineOf).join('')
    if (next === null) return
    before = next
  }
}

function lineOf({ at, kind, description, by, amount, balanceAfter, id }: Sendable<Movement>) {
  const name = by.kind === 'user' ? by.name : by.kind
  return csvLine([new Date(at), kind, description, name, amount, balanceAfter, String(id)])
}

async function readPage(db: Db, { accountId }: { accountId: AccountId }, { before, limit }: PageQuery) {
  const isCursor = before === undefined || /^[1-9]\d{0,14}$/.test(before)
  if (!isCursor) throw new Refusal('INVALID_REQUEST', 'before must be the next of a page.')
  const page = { limit: Number(limit ?? usualLimit), before: before === undefined ? undefined : Number(before) }
  const { entries, next } = await showHistory(db, accountId, page)
  return { entries, next: next === null ? null : String(next) }
}

/** `agencyName`: the sub-account itself reads. */
type Reader = SubaccountRef & { agencyName?: string }

/** Who of the agency did it is the agency's business, as who of the sub-account wrote a message is its own. */
async function describe(db: Db, { agencyId, accountId, agencyName }: Reader, entries: ShownEntry[]) {
  const reversed = await findReversed(
    db,
    accountId,
    entries.map(({ id }) => id),
  )
  const users = entries.map(({ actor }) => actor).filter((actor) => isId('usr', actor))
  const names = await findUserNames(db, agencyName === undefined ? agencyId : accountId, [...new Set(users)])
  return entries.map((entry) => shown(entry, reversed, (id) => names.get(id) ?? agencyName ?? null))
}

function shown(
  { id, createdAt, kind, description, actor, amount, balanceAfter }: ShownEntry,
  reversed: Set<string>,
  nameOf: (userId: string) => string | null,
): Sendable<Movement> {
  return {
    id,
    kind,
    amount,
    balanceAfter,
    at: createdAt,
    description: kind === 'usage' && description === ofAnAnswer ? null : description,
    by: byOf(actor, nameOf),
    isReversed: reversed.has(id),
  }
}

function byOf(actor: string, nameOf: (userId: string) => string | null): Movement['by'] {
  if (actor === 'bot' || actor === 'operator') return { kind: actor, name: null }
  return actor === 'api' ? { kind: 'key', name: null } : { kind: 'user', name: nameOf(actor) }
}
