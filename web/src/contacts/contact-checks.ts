import { type ContactText, contactTexts } from '@patchbay/contract/contact-texts.ts'
import { contactWords as words } from './words.ts'

export const contactFields = [...contactTexts, 'phone', 'email', 'externalId'] as const
export type ContactValues = Record<ContactText | 'phone' | 'email' | 'externalId', string>
export type ContactErrors = Partial<Record<keyof ContactValues, string>>

/** What can be seen without the server; it has the last word. */
export function checkField(name: keyof ContactValues, text: string): string | undefined {
  const given = text.trim()
  if (given === '') return undefined
  if (name === 'phone') return /^(\+|00)[\d\s.()\p{Pd}]{6,}$/u.test(given) ? undefined : words.wrongPhone
  if (name !== 'email') return undefined
  if (given.split('@').length > 2) return words.twoAts
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(given) ? undefined : words.wrongEmail
}

/** All of them, before they are sent. A contact who writes on a channel is known without number and address. */
export function checkAll(values: Pick<ContactValues, 'phone' | 'email'>, isKnown: boolean): ContactErrors {
  const errors: ContactErrors = {}
  for (const name of ['phone', 'email'] as const) {
    const error = checkField(name, values[name])
    if (error) errors[name] = error
  }
  if (!isKnown && values.phone.trim() === '' && values.email.trim() === '') errors.phone = words.neither
  return errors
}
