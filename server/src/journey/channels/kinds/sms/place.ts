import { asText, type Fields } from '../common/fields.ts'

/** Where a sender's messages go, as fields that can be posted back as they are. */
export type Place = {
  /** The address, without its fragment, or where else in words; null: nowhere. */
  to: string | null
  /** It is a service that does not take what is written to its numbers: they have addresses of their own. */
  leavesItToNumbers?: boolean
  fields: Readonly<Record<string, string>>
}

const names = {
  number: ['SmsUrl', 'SmsMethod', 'SmsFallbackUrl', 'SmsFallbackMethod', 'SmsApplicationSid'],
  service: ['InboundRequestUrl', 'InboundMethod', 'FallbackUrl', 'FallbackMethod', 'UseInboundWebhookOnNumber'],
} as const

export function placeOfNumber(number: Fields): Place {
  const fields = readFields(number, names.number)
  const app = fields.SmsApplicationSid
  return { to: app ? `the TwiML app ${app}` : addressOf(fields.SmsUrl || fields.SmsFallbackUrl), fields }
}

export function placeOfService(service: Fields): Place {
  const fields = readFields(service, names.service)
  const leavesItToNumbers = fields.UseInboundWebhookOnNumber === 'true'
  const own = fields.InboundRequestUrl || fields.FallbackUrl
  return { to: leavesItToNumbers ? 'the webhooks of its numbers' : addressOf(own), leavesItToNumbers, fields }
}

function readFields(found: Fields, wanted: readonly string[]): Place['fields'] {
  const given = wanted.filter((name) => found[inAnswers(name)] !== undefined)
  return Object.fromEntries(given.map((name) => [name, asWritten(found[inAnswers(name)])]))
}

function asWritten(value: unknown): string {
  return typeof value === 'boolean' ? String(value) : (asText(value) ?? '')
}

/** `SmsUrl` is posted, and `sms_url` is answered. */
const inAnswers = (name: string) => name.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase()

/** What a new number has: nobody misses it. */
const ofTwilio = 'https://demo.twilio.com/'

function addressOf(url: string | undefined): string | null {
  const [address = ''] = (url ?? '').split('#')
  return address === '' || address.startsWith(ofTwilio) ? null : address
}

/** Five more tries, whatever the failure; Twilio reads it and sends it to nobody. */
export const retries = '#rc=5&rp=all'

/** Everything that has to be so that messages go to this address alone. */
export function fieldsFor(url: string, isService: boolean): Place['fields'] {
  const [address, method, fallback, fallbackMethod, elsewhere] = isService ? names.service : names.number
  return {
    ...{ [address]: url + retries, [method]: 'POST', [fallback]: url + retries, [fallbackMethod]: 'POST' },
    [elsewhere]: isService ? 'false' : '',
  }
}

/** Nowhere. */
export function emptyFields(isService: boolean): Place['fields'] {
  const [address, , fallback] = isService ? names.service : names.number
  return { [address]: '', [fallback]: '' }
}

/** What an answer does not tell of is as it should be. */
export function isSame(one: Place['fields'], other: Place['fields']): boolean {
  const plain = (value = '') => (value === 'false' ? '' : value.split('#')[0])
  return Object.keys(one).every((name) => other[name] === undefined || plain(one[name]) === plain(other[name]))
}

/** What was there before, as it may be posted: a method is left out where there is none. */
export function readBefore(before: unknown, isService: boolean): Place['fields'] | undefined {
  if (typeof before !== 'object' || before === null) return undefined
  const wanted: readonly string[] = isService ? names.service : names.number
  const known = Object.entries(before).filter(([name, value]) => wanted.includes(name) && typeof value === 'string')
  return Object.fromEntries(known.filter(([name, value]) => value !== '' || !name.endsWith('Method')))
}
