import { type ContactText, contactTexts } from '@patchbay/contract/contact-texts.ts'
import { ApiError } from '../data/api.ts'
import type { FieldErrors } from '../ui/use-form.ts'
import { contactWords as words } from './words.ts'

export const contactFields = [...contactTexts, 'phone', 'email', 'externalId'] as const
export type ContactValues = Record<ContactText | 'phone' | 'email' | 'externalId', string>

/**
 * Checks what can be seen without the server, which has the last word. A contact who writes on a channel is known
 * without number and address.
 */
export function checkContact(
  { phone, email }: Pick<ContactValues, 'phone' | 'email'>,
  isKnown: boolean,
): FieldErrors<ContactValues> {
  const [number, address] = [phone.trim(), email.trim()]
  const isNeither = !isKnown && number === '' && address === ''
  return { phone: isNeither ? words.neither : checkPhone(number), email: checkEmail(address) }
}

function checkPhone(number: string): string | undefined {
  return number === '' || isPhoneLike(number) ? undefined : words.wrongPhone
}

/** Whether it is written as a phone number with a country code. */
export function isPhoneLike(text: string): boolean {
  return /^(\+|00)[\d\s.()\p{Pd}]{6,}$/u.test(text)
}

function checkEmail(address: string): string | undefined {
  if (address.split('@').length > 2) return words.twoAts
  return address === '' || /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(address) ? undefined : words.wrongEmail
}

/** The field that the server's refusal is about; undefined when it is about none. */
export function placeRefusal(error: unknown): FieldErrors<ContactValues> | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.code === 'INVALID_PHONE') return { phone: words.wrongPhone }
  if (error.code === 'INVALID_EMAIL') return { email: words.wrongEmail }
  if (error.code === 'ID_TAKEN') return { externalId: error.message }
  if (error.code === 'PHONE_OR_EMAIL_REQUIRED') return { phone: words.neither }
  return undefined
}
