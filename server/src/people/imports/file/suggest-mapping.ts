import { contactTextNames, contactTexts } from '@patchbay/contract/contact-texts.ts'
import type { ImportField } from '@patchbay/contract/import-fields.ts'
import { parseEmail } from '../../../platform/text/email.ts'
import { plainText } from '../../../platform/text/plain-text.ts'
import { parsePhone } from '../../contacts/phone.ts'

/**
 * What each column seems to be: by its header, in the languages below, and where no header says which column has the
 * phone number or the e-mail address, by its cells. Each field is suggested once.
 */
export function suggestMapping(headers: string[], rows: string[][]): ImportField[] {
  const mapping: ImportField[] = headers.map(() => 'none')
  const take = (field: ImportField, isIt: (header: string, at: number) => boolean) => {
    if (mapping.includes(field)) return
    const found = headers.findIndex((header, at) => mapping[at] === 'none' && isIt(header, at))
    if (found >= 0) mapping[found] = field
  }
  for (const [field, names] of Object.entries(headersOf) as [ImportField, Set<string>][]) {
    take(field, (header) => names.has(squeezed(header)))
  }
  const isMostly = (at: number, parse: (text: string) => string | undefined) => {
    const cells = rows.map((row) => row[at] ?? '').filter((cell) => cell.trim() !== '')
    return cells.length > 0 && cells.filter((cell) => parse(cell) !== undefined).length > cells.length / 2
  }
  take('email', (_, at) => isMostly(at, parseEmail))
  take('phone', (_, at) => isMostly(at, parsePhone))
  return mapping.includes('firstName') || mapping.includes('lastName')
    ? mapping.map((field) => (field === 'name' ? 'none' : field))
    : mapping
}

/** `E-Mail`, `e_mail` and `email` are the same. */
const squeezed = (header: string) => plainText(header).replaceAll(' ', '')

const known: Partial<Record<ImportField, string>> = {
  firstName:
    'first name, given name, forename, fname, vorname, rufname, prénom, nombre, nombre de pila, nome proprio, primeiro nome, nome, voornaam, imię, imie, förnamn, fornavn, etunimi, jméno, keresztnév, ad, имя',
  lastName:
    'last name, family name, surname, lname, nachname, familienname, zuname, nom de famille, nom, apellido, apellidos, cognome, sobrenome, apelido, achternaam, nazwisko, efternamn, efternavn, etternavn, sukunimi, příjmení, vezetéknév, soyad, фамилия',
  name: 'name, full name, contact, contact name, person, customer, customer name, kunde, ganzer name, nom complet, nombre completo, nome completo, volledige naam, naam, namn, navn, nimi',
  phone:
    'phone, phone number, telephone, telephone number, tel, tel no, mobile, mobile phone, mobile number, mob, cell, cell phone, cellphone, whatsapp, sms, msisdn, telefon, telefonnummer, mobil, mobilnummer, mobiltelefon, handy, handynummer, rufnummer, téléphone, portable, numéro, móvil, teléfono, telefone, telemóvel, celular, telefono, cellulare, telefoon, telefoonnummer, mobiel, gsm, komórka, puhelin, телефон',
  email:
    'email, e mail, mail, e mail address, email address, mail address, e mail adresse, mailadresse, adresse e mail, adresse mail, courriel, correo, correo electrónico, e mailadres, epost, e post, sähköposti, indirizzo email, почта',
  externalId:
    'external id, externe id, extern id, foreign id, from id, channel id, platform id, user id, userid, customer id, kundennummer, kundennr, customer number, customer no, id externe, id externo',
  contactId: 'contact id, patchbay id',
}

/** The headers of each field: those known above, the name of the field, and that of our own export. */
const headersOf = Object.fromEntries(
  ([...new Set([...contactTexts, ...Object.keys(known)])] as ImportField[]).map((field) => {
    const own = contactTexts.find((text) => text === field)
    const all = [...(known[field]?.split(', ') ?? []), field, ...(own ? [contactTextNames[own]] : [])]
    return [field, new Set(all.map(squeezed))]
  }),
) as Partial<Record<ImportField, Set<string>>>
