import type { ProviderCall } from '../kind.ts'
import type { SmsSettings } from './credentials.ts'

/** `authToken` signs what Twilio posts to us; with a key, calls are made by that, so that it can be taken back alone. */
export type SmsSecrets = {
  accountSid: string
  sender: string
  authToken: string
  key: { sid: string; secret: string } | null
}

type Form = Readonly<Record<string, string | undefined>>
type Call = { operation: string; form?: Form; mostBytes?: number }

/** A resource of the account in the API. `by`: the auth token itself has to be proven, or whatever calls are made with. */
export function callAccount(
  secrets: SmsSecrets,
  path: string,
  { by = 'key', ...call }: Call & { by?: 'key' | 'token' },
): ProviderCall {
  const full = `/2010-04-01/Accounts/${secrets.accountSid}${path}`
  return { ...withForm(call), origin: 'api', path: full, ...authorize(secrets, by) }
}

/** A messaging service, which has an API of its own. */
export function callMessaging(secrets: SmsSecrets, path: string, call: Call): ProviderCall {
  return { ...withForm(call), origin: 'messaging', path: `/v1/Services${path}`, ...authorize(secrets, 'key') }
}

function withForm({ form, ...call }: Call) {
  if (!form) return { ...call, method: 'GET' as const }
  const given = Object.entries(form).filter((field): field is [string, string] => field[1] !== undefined)
  return { ...call, method: 'POST' as const, body: new URLSearchParams(given).toString() }
}

function authorize({ accountSid, authToken, key }: SmsSecrets, by: 'key' | 'token') {
  const [user, secret] = key && by === 'key' ? [key.sid, key.secret] : [accountSid, authToken]
  const authorization = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`
  return { headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' }, secret }
}

/** A query of these parameters, with the question mark. */
export function queryOf(parameters: Form): string {
  const given = Object.entries(parameters).filter((field): field is [string, string] => field[1] !== undefined)
  return `?${new URLSearchParams(given)}`
}

/** What a message is from: a number, or a service that chooses one. */
export function senderOf({ sender, serviceSid }: Pick<SmsSettings, 'sender' | 'serviceSid'>) {
  return serviceSid === null ? { From: sender } : { MessagingServiceSid: serviceSid }
}
