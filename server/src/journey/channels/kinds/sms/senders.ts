import { asFields, asList, asText, type Fields } from '../common/fields.ts'
import type { Calls, Fault } from '../kind.ts'
import { faultOf, isNotThere, readAnswer } from './answer.ts'
import { callAccount, callMessaging, queryOf, type SmsSecrets } from './calls.ts'
import { readList } from './pages.ts'
import { type Place, placeOfNumber, placeOfService } from './place.ts'

export type Account = { name: string; isTrial: boolean }
/** A number or a short code. */
export type SmsNumber = { sid: string; number: string; name: string; canSms: boolean; place: Place }
export type Service = { sid: string; name: string; numbers: string[]; place: Place }

/** Asked with the auth token itself: only who has that is called by Twilio with signatures that we can check. */
export function* readAccount(secrets: SmsSecrets): Calls<Account | Fault> {
  const answer = readAnswer(yield callAccount(secrets, '.json', { operation: 'account', by: 'token' }))
  if (answer.is !== 'ok') {
    return faultOf(answer, {
      notThere: 'Twilio knows no account with this SID. Copy it from the front page of its console.',
    })
  }
  const { status, type, friendly_name: name } = answer.result
  if (status !== 'active') {
    const fault = 'Twilio has closed or suspended this account. Look into its console for the reason.'
    return { fault, quote: asText(status) ?? null, isTemporary: false }
  }
  return { name: asText(name) || 'SMS', isTrial: type === 'Trial' }
}

const mostPages = 5

const keyIsWrong = 'Twilio does not take the API key. Make one for this account, or leave it out.'

export function* listNumbers(secrets: SmsSecrets, number?: string): Calls<SmsNumber[] | Fault> {
  const asked = queryOf({ PageSize: '200', PhoneNumber: number })
  const call = callAccount(secrets, `/IncomingPhoneNumbers.json${asked}`, { operation: 'numbers' })
  const found = yield* readList(call, { name: 'incoming_phone_numbers', mostPages })
  if ('is' in found) return faultOf(found, secrets.key ? { unknown: keyIsWrong } : {})
  return found.items.flatMap((one) => readNumber(one, 'phone_number') ?? [])
}

/** Most accounts have none, and not every key may see them. */
export function* listShortCodes(secrets: SmsSecrets): Calls<SmsNumber[] | Fault> {
  const call = callAccount(secrets, `/SMS/ShortCodes.json${queryOf({ PageSize: '50' })}`, { operation: 'short codes' })
  const found = yield* readList(call, { name: 'short_codes', mostPages: 1 })
  if (!('is' in found)) return found.items.flatMap((one) => readNumber(one, 'short_code') ?? [])
  return found.is === 'refused' || isNotThere(found) ? [] : faultOf(found)
}

function readNumber(one: Fields, field: string): SmsNumber | undefined {
  const [sid, number] = [asText(one.sid), asText(one[field])]
  if (sid === undefined || number === undefined || !/^(PN|SC)\w{32}$/.test(sid)) return undefined
  const capabilities = asFields(one.capabilities)
  const canSms = field === 'short_code' || (capabilities?.sms ?? capabilities?.SMS) === true
  return { sid, number, name: asText(one.friendly_name) ?? number, canSms, place: placeOfNumber(one) }
}

/** Of each one its numbers are asked for, one after another. */
const mostServices = 20

/** A key may have no right to see them: then there are none to choose. */
export function* listServices(secrets: SmsSecrets): Calls<Service[] | Fault> {
  const call = callMessaging(secrets, queryOf({ PageSize: String(mostServices) }), { operation: 'services' })
  const found = yield* readList(call, { name: 'services', mostPages: 1 })
  if ('is' in found) return found.is === 'refused' ? [] : faultOf(found)
  const services: Service[] = []
  for (const one of found.items) {
    const service = yield* readService(secrets, one)
    if (service && 'fault' in service) return service
    if (service) services.push(service)
  }
  return services
}

export function* findService(secrets: SmsSecrets, sid: string): Calls<Service | Fault> {
  const answer = readAnswer(yield callMessaging(secrets, `/${sid}`, { operation: 'service' }))
  const notThere = 'This account has no messaging service with this SID.'
  if (answer.is !== 'ok') return faultOf(answer, { notThere, check: 'sender' })
  const service =
    asText(answer.result.account_sid) === secrets.accountSid && (yield* readService(secrets, answer.result))
  return service || { fault: notThere, quote: null, isTemporary: false, check: 'sender' }
}

function* readService(secrets: SmsSecrets, one: Fields): Calls<Service | Fault | undefined> {
  const sid = asText(one.sid)
  if (sid === undefined || !/^MG\w{32}$/.test(sid)) return undefined
  const numbers = yield* listMembers(secrets, sid)
  if ('fault' in numbers) return numbers
  return { sid, name: asText(one.friendly_name) || sid, numbers, place: placeOfService(one) }
}

/** The numbers of a service; short codes, where it has none. */
export function* listMembers(secrets: SmsSecrets, sid: string): Calls<string[] | Fault> {
  for (const [path, name, field] of [
    ['PhoneNumbers', 'phone_numbers', 'phone_number'],
    ['ShortCodes', 'short_codes', 'short_code'],
  ] as const) {
    const call = callMessaging(secrets, `/${sid}/${path}${queryOf({ PageSize: '100' })}`, { operation: `its ${name}` })
    const found = yield* readList(call, { name, mostPages })
    if ('is' in found && !isNotThere(found)) return faultOf(found)
    const numbers = 'is' in found ? [] : found.items.flatMap((item) => readMember(item, field) ?? [])
    if (numbers.length > 0) return numbers
  }
  return []
}

function readMember(item: Fields, field: string): string | undefined {
  const can = asList(item.capabilities)
  return can.length === 0 || can.some((one) => /^sms$/i.test(String(one))) ? asText(item[field]) : undefined
}
