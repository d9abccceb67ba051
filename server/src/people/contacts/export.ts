import { contactTextNames, contactTexts } from '@patchbay/contract/contact-texts.ts'
import { type By, noteAct } from '../../business/audit/store.ts'
import type { Db } from '../../platform/database/db.ts'
import type { FairShare } from '../../platform/database/fair-share.ts'
import type { AccountId, ContactId } from '../../platform/ids.ts'
import { type CsvCell, csvLine, csvStart } from '../../platform/text/csv.ts'
import { type ContactQuery, findIds, findList } from './found-ids.ts'
import { spacedPhone } from './phone.ts'
import { type ExportedContact, readExported } from './store.ts'

type Ctx = { db: Db; share: FairShare }

/** Writes down that somebody exports contacts; what they searched for may be a name, and is not written down. */
export async function noteExport(db: Db, accountId: AccountId, { q, listId }: ContactQuery, by: By): Promise<void> {
  const list = listId === undefined ? undefined : await findList(db, accountId, listId)
  const of = q?.trim() ? 'a search' : listId === undefined ? 'all' : 'a list'
  const details = { of, ...(list && { listId: list.listId, list: list.name }) }
  await noteAct(db, accountId, { act: 'contacts exported', ...by, details })
}

/**
 * Contacts as a CSV file, piece by piece, whose columns an import knows. Names and ids are written so that they come back
 * as they are, and phone numbers so that a spreadsheet keeps them.
 */
export async function* exportCsv(
  { db, share }: Ctx,
  accountId: AccountId,
  sought: ContactQuery,
): AsyncGenerator<string> {
  let before = csvStart + csvLine(head)
  const pages = findIds(db, accountId, sought)
  for (;;) {
    // A share of the connections is held for a page, not for as long as the client takes to read it.
    const lines = await share(accountId, async () => {
      const { done, value: ids } = await pages.next()
      return done ? undefined : linesOf(db, accountId, ids)
    })
    yield before + (lines ?? '')
    if (lines === undefined) return
    before = ''
  }
}

const head = [
  ...contactTexts.map((name) => contactTextNames[name]),
  'Phone',
  'E-mail',
  'External ID',
  'Contact ID',
  'Opted out',
  'Created',
  'Channels',
]

async function linesOf(db: Db, accountId: AccountId, ids: ContactId[]): Promise<string> {
  const found = new Map((await readExported(db, accountId, ids)).map((contact) => [contact.id, contact]))
  return ids
    .flatMap((id) => found.get(id) ?? []) // erased at this moment
    .map(lineOf)
    .join('')
}

function lineOf(contact: ExportedContact): string {
  const exactly = (text: string | null): CsvCell => (text === null ? null : { exactly: text })
  const { phone, email, externalId, id, optedOutAt, createdAt, addresses } = contact
  const texts = contactTexts.map((name) => exactly(contact[name]))
  return csvLine([
    ...texts,
    phone && spacedPhone(phone),
    exactly(email),
    exactly(externalId),
    id,
    optedOutAt,
    createdAt,
    exactly(addresses),
  ])
}
