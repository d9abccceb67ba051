import { Refusal } from '../../../../platform/refusal.ts'
import type { SmsSecrets } from './calls.ts'

export type SmsSettings = {
  accountSid: string
  /** The number or short code that messages are from, or the SID of a messaging service. */
  sender: string
  /** Twilio's SID of the number or short code; null: it is a service. */
  numberSid: string | null
  serviceSid: string | null
  /** A sentence stands before each text, and only numbers are written to that were verified there. */
  isTrial: boolean
}

type Given = Readonly<Record<string, unknown>>

const known = ['accountSid', 'authToken', 'keySid', 'keySecret', 'sender']

/** What an owner gives. The sender is left out where it is still to be chosen. */
export function readCredentials(given: Given, { needsSender }: { needsSender: boolean }): SmsSecrets {
  const strange = Object.keys(given).find((name) => !known.includes(name))
  if (strange !== undefined) refuse(`${strange} is none of the credentials of Twilio, which are ${known.join(', ')}.`)
  const text = (name: string) => (typeof given[name] === 'string' ? given[name].trim() : '')
  const [accountSid, authToken, keySid, keySecret] = ['accountSid', 'authToken', 'keySid', 'keySecret'].map(text)
  if (!/^AC[\da-f]{32}$/.test(accountSid ?? '')) {
    refuse('accountSid must be the SID of an account as the console of Twilio shows it: AC and 32 characters.')
  }
  if (!/^[\w-]{16,128}$/.test(authToken ?? '')) {
    refuse('authToken must be the primary auth token of the account, as the console of Twilio shows it: 32 characters.')
  }
  const hasKey = keySid !== '' || keySecret !== ''
  if (hasKey && !/^SK[\da-f]{32}$/.test(keySid ?? '')) {
    refuse('keySid must be the SID of an API key: SK and 32 characters. Leave keySid and keySecret out to use none.')
  }
  if (hasKey && !/^[\w-]{8,128}$/.test(keySecret ?? '')) refuse('keySecret must be the secret of the API key keySid.')
  return {
    accountSid: accountSid ?? '',
    sender: needsSender ? readSender(text('sender')) : '',
    authToken: authToken ?? '',
    key: hasKey ? { sid: keySid ?? '', secret: keySecret ?? '' } : null,
  }
}

/** People write numbers with spaces and brackets. */
function readSender(given: string): string {
  if (/^MG[\da-f]{32}$/.test(given)) return given
  const number = given.replace(/[\s().-]/g, '')
  if (/^\+[1-9]\d{5,14}$/.test(number) || /^\d{3,8}$/.test(number)) return number
  return refuse(
    'sender must be a number such as +447700900155, a short code, or the SID of a messaging service: MG and 32 characters.',
  )
}

function refuse(sentence: string): never {
  throw new Refusal('INVALID_REQUEST', sentence)
}
