import { type ContactText, contactTexts } from '@patchbay/contract/contact-texts.ts'
import type { ImportField } from '@patchbay/contract/import-fields.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { type ContactId, isId } from '../../../platform/ids.ts'
import { withoutGuard } from '../../../platform/text/csv.ts'
import { parseEmail } from '../../../platform/text/email.ts'
import { parsePhoneOf } from '../../contacts/phone.ts'
import { isTooWide, type ParsedRow } from './parse-file.ts'

/** What a row says about one person. */
export type GivenRow = Record<ContactText | 'phone' | 'email' | 'externalId', string | null> & {
  contactId: ContactId | null
}

/** Why a row is not imported: which of its fields is wrong, or null where the row as a whole is. */
export type RowError = { field: ImportField | null; reason: string }

/** How the cells of a file are read: as many as there are headers, and what each column becomes. */
export type Columns = { headers: string[]; mapping: ImportField[]; country: string | null }

/** `mended` replaces the cells of one field. */
export function readRow(
  { headers, mapping, country }: Columns,
  row: ParsedRow,
  mended?: { field: ImportField; value: string },
): GivenRow | RowError {
  const cells = cellsOf(row)
  const width = isTooWide(row) ? row[1] : cells.length
  if (width !== headers.length) {
    return { field: null, reason: `This row has ${count(width)}, and the header ${count(headers.length)}.` }
  }
  const cellOf = (field: ImportField) => {
    if (mended?.field === field) return mended.value.trim()
    const given = mapping.map((one, at) => (one === field ? withoutGuard(cells[at] ?? '').trim() : ''))
    return given.find((cell) => cell !== '') ?? ''
  }
  return readFields(cellOf, { mapping, country })
}

/** The cells of a row; none of one that is too wide. */
export const cellsOf = (row: ParsedRow): string[] => (isTooWide(row) ? [] : (row.slice(1) as string[]))

export function isRowError(row: GivenRow | RowError): row is RowError {
  return 'reason' in row
}

/** The cell that an error is about, as it is in the file. */
export function cellOf(mapping: ImportField[], cells: string[], field: ImportField | null): string {
  const at = mapping.findIndex((one, n) => one === field && (cells[n] ?? '').trim() !== '')
  return field === null ? '' : (cells[at < 0 ? mapping.indexOf(field) : at] ?? '')
}

const count = (cells: number) => (cells === 1 ? '1 cell' : `${cells} cells`)

type ReadOptions = Pick<Columns, 'mapping' | 'country'>

function readFields(cellOf: (field: ImportField) => string, { mapping, country }: ReadOptions): GivenRow | RowError {
  const texts = { ...splitName(cellOf('name')) } as Record<ContactText, string | null>
  for (const name of contactTexts) texts[name] = cellOf(name) || texts[name] || null
  const long = contactTexts.find((name) => [...(texts[name] ?? '')].length > limits.nameCharacters)
  if (long) return { field: long, reason: `A name has at most ${limits.nameCharacters} characters.` }
  const given = { phone: cellOf('phone'), email: cellOf('email'), externalId: cellOf('externalId') }
  const phone = given.phone === '' ? null : parsePhoneOf(given.phone, country)
  if (phone === undefined) return { field: 'phone', reason: whyNoPhone(given.phone, country) }
  const email = given.email === '' ? null : parseEmail(given.email)
  if (email === undefined) return { field: 'email', reason: whyNoEmail(given.email) }
  if ([...given.externalId].length > limits.idCharacters) {
    return { field: 'externalId', reason: `An ID has at most ${limits.idCharacters} characters.` }
  }
  const [own, externalId] = [cellOf('contactId'), given.externalId || null]
  const contactId = isId('con', own) ? own : null
  if (phone === null && email === null && externalId === null && contactId === null) {
    const field = (['phone', 'email', 'externalId'] as const).find((one) => mapping.includes(one)) ?? null
    return { field, reason: 'Neither a phone number nor an e-mail address. One is needed to know who it is.' }
  }
  return { ...texts, phone, email, externalId, contactId }
}

/** "Ana Sofia Lima" is Ana Sofia and Lima; "Lima, Ana" is the same the other way round. */
function splitName(name: string): { firstName: string | null; lastName: string | null } {
  const [last = '', first] = name.split(/\s*,\s*/, 2)
  if (first) return { firstName: first, lastName: last || null }
  const words = last.split(/\s+/).filter((word) => word !== '')
  const lastName = words.length > 1 ? (words.pop() ?? null) : null
  return { firstName: words.join(' ') || null, lastName }
}

function whyNoPhone(text: string, country: string | null): string {
  if (/^\d([.,]\d+)?e\+?\d+$/i.test(text)) {
    return 'A spreadsheet has shortened this number. Make its column text there, and export the file again.'
  }
  const international = text.replace(/^00/, '+')
  if (!international.startsWith('+')) {
    return country === null
      ? 'Phone needs a + and a country code, such as +447700900077, or a country for the whole file.'
      : `This is no phone number of the country that was chosen (${country}), and has no + and country code.`
  }
  if (!/^\+[\d\s.()\p{Pd}]+$/u.test(international))
    return 'A phone number has digits, spaces, dots, dashes and brackets only.'
  const digits = international.replace(/\D/g, '')
  if (digits.length < 7 || digits.length > 15) return 'A phone number has 7 to 15 digits, with its country code.'
  return `+${digits.slice(0, 3)} is no country code in use.`
}

function whyNoEmail(text: string): string {
  const ats = text.split('@').length - 1
  if (ats > 1) return 'This e-mail address has two @ signs.'
  return ats === 0 ? 'This e-mail address has no @ sign.' : 'This is no e-mail address, such as ana@example.com.'
}
