import { type ContactText, contactTexts } from '@patchbay/contract/contact-texts.ts'
import type { Handlers } from '../../business/sessions/handlers.ts'
import type { Db } from '../../platform/database/db.ts'
import type { FairShare } from '../../platform/database/fair-share.ts'
import { sendCsv } from '../../platform/http/send-csv.ts'
import { type AccountId, type ContactId, isId } from '../../platform/ids.ts'
import { changeContact, requireUnused } from './change.ts'
import { createContact } from './create.ts'
import { exportCsv, noteExport } from './export.ts'
import { noContact } from './find.ts'
import { listContacts } from './list.ts'
import { findShownContact, type ShownContact } from './shown-store.ts'

type Ctx = Readonly<{ db: Db; share: FairShare; secretKey: Buffer }>
type Routes =
  | 'GET /api/contacts'
  | 'GET /api/contacts/export'
  | 'POST /api/contacts'
  | 'GET /api/contacts/:contactId'
  | 'PATCH /api/contacts/:contactId'

export function contactHandlers(ctx: Ctx): Pick<Handlers, Routes> {
  const { db, share, secretKey } = ctx
  return {
    'GET /api/contacts': ({ session, query }) => listContacts(db, session.accountId, query),
    'GET /api/contacts/export': async ({ session: { accountId }, query, by, http, reply }) => {
      if (http.method === 'GET') await share(accountId, () => noteExport(db, accountId, query, by))
      return sendCsv({ http, reply, fileName: 'contacts.csv' }, exportCsv(ctx, accountId, query))
    },
    'POST /api/contacts': async ({ session: { accountId }, body }) => {
      const texts = Object.fromEntries(contactTexts.map((name) => [name, filled(body[name]) ?? null]))
      const given = {
        texts: texts as Record<ContactText, string | null>, // it has each of them
        phone: filled(body.phone) ?? undefined,
        email: filled(body.email) ?? undefined,
        fromId: filled(body.externalId) ?? undefined,
        leavesKnown: true,
      }
      const { contact, isNew } = await db.transaction().execute(async (tx) => {
        if (given.fromId !== undefined) await requireUnused(tx, accountId, given.fromId)
        return createContact(tx, { accountId, secretKey }, given)
      })
      return { contact: await showContact(db, accountId, contact.id), isNew }
    },
    'GET /api/contacts/:contactId': ({ session, params }) =>
      showContact(db, session.accountId, requireContactId(params.contactId)),
    'PATCH /api/contacts/:contactId': async ({ session: { accountId }, params, body }) => {
      const contactId = requireContactId(params.contactId)
      const names = [...contactTexts, 'phone', 'email', 'externalId'] as const
      const change = Object.fromEntries(names.map((name) => [name, filled(body[name])]))
      await changeContact(ctx, { accountId, contactId }, change)
      return showContact(db, accountId, contactId)
    },
  }
}

async function showContact(db: Db, accountId: AccountId, contactId: ContactId): Promise<ShownContact> {
  const contact = await findShownContact(db, accountId, contactId)
  if (!contact) throw noContact()
  return contact
}

function requireContactId(text: string): ContactId {
  if (!isId('con', text)) throw noContact()
  return text
}

/** The text without white space around it; null when nothing is left, undefined when none was given. */
function filled(text: string | null | undefined): string | null | undefined {
  return typeof text === 'string' ? text.trim() || null : text
}
