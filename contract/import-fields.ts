import { type ContactText, contactTexts } from './contact-texts.ts'

/**
 * What a column of an imported file can become. `name` is a whole name, which is divided; `contactId` is our own id, as an
 * export has it.
 */
export type ImportField = ContactText | 'name' | 'phone' | 'email' | 'externalId' | 'contactId' | 'none'

export const importFields: readonly ImportField[] = [
  ...contactTexts,
  'name',
  'phone',
  'email',
  'externalId',
  'contactId',
  'none',
]

/** How the browser read the bytes of a file. */
export const importEncodings = ['UTF-8', 'UTF-16', 'Windows-1252'] as const
export type ImportEncoding = (typeof importEncodings)[number]

export const importStates = [
  'uploading',
  'reading',
  'checking',
  'ready',
  'running',
  'finished',
  'stopped',
  'refused',
] as const
export type ImportState = (typeof importStates)[number]
