import { asFields, asList, asText, type Fields } from '../common/fields.ts'
import type { Ask, Calls, CatchUp, Fault, FileReference, ProviderEvent } from '../kind.ts'
import { faultOf, readAnswer } from './answer.ts'
import { callAccount, queryOf, type SmsSecrets, senderOf } from './calls.ts'
import type { SmsSettings } from './credentials.ts'
import { readList } from './pages.ts'
import { fileOf, messageOf } from './read.ts'
import { listMembers } from './senders.ts'

/** So much may clocks differ. */
const leewayMs = 10 * 60_000

/**
 * Looks for a message in doubt in the list of those to that person, newest first. Not by the date of sending: one that still waits at
 * Twilio has none, would not be found, and be sent twice. Not all read, or an answer that is none: nobody knows.
 */
export const ask: Ask<SmsSettings, SmsSecrets> = {
  afterSeconds: [10, 60],
  *find({ part, address, begunAt }, settings, secrets) {
    const since = begunAt - leewayMs
    const { From } = { From: undefined, ...senderOf(settings) }
    const query = queryOf({ To: address.address, From, PageSize: '50' })
    const call = callAccount(secrets, `/Messages.json${query}`, { operation: 'look for a message' })
    const isOlder = (page: Fields[]) => page.some((one) => timeOf(one) < since)
    const found = yield* readList(call, { name: 'messages', mostPages: 5, enough: isOlder })
    if ('is' in found || !found.isAll) return 'unknown'
    const same = found.items.filter(
      (one) => timeOf(one) >= since && isOurs(one, settings) && isSameText(one, part.text, settings),
    )
    return { providerIds: same.flatMap((one) => asText(one.sid) ?? []) }
  },
}

function timeOf({ date_created: created }: Fields): number {
  return Date.parse(asText(created) ?? '') || 0
}

function isOurs(
  { direction, from, messaging_service_sid: service }: Fields,
  { sender, serviceSid }: SmsSettings,
): boolean {
  if (!/^outbound/.test(asText(direction) ?? '')) return false
  return serviceSid === null ? from === sender : service === serviceSid
}

/** A trial account puts a sentence before it; a service may replace signs by plain ones, whatever a message asks for. */
function isSameText({ body }: Fields, text: string, { isTrial, serviceSid }: SmsSettings): boolean {
  const said = asText(body) ?? ''
  if (said === text) return true
  if (isTrial && text !== '' && said.endsWith(text)) return true
  const letters = lettersOf(text)
  return serviceSid !== null && letters !== '' && lettersOf(said) === letters
}

function lettersOf(text: string): string {
  return text.normalize('NFKD').replace(/[^\p{L}\p{N}]/gu, '')
}

const atOnce = 1_000
/** Of numbers of a service. */
const mostNumbers = 100

/** What was written to our sender and did not reach us: Twilio tries for seconds only. */
export const catchUp: CatchUp<SmsSettings, SmsSecrets> = {
  everySeconds: 600,
  *list(since, settings, secrets) {
    const numbers = settings.serviceSid === null ? [settings.sender] : yield* listMembers(secrets, settings.serviceSid)
    if ('fault' in numbers) return numbers
    const found: Fields[] = []
    for (const number of numbers.slice(0, mostNumbers)) {
      const listed = yield* listSince(secrets, number, since)
      if ('fault' in listed) return listed
      found.push(...listed)
    }
    const oldest = found.sort((one, other) => timeOf(one) - timeOf(other)).slice(0, atOnce)
    return yield* readAll(oldest, secrets)
  },
}

/** By the day alone, because the list knows no hours; newest first. */
function* listSince(secrets: SmsSecrets, number: string, since: number): Calls<Fields[] | Fault> {
  const day = new Date(since).toISOString().slice(0, 10)
  const query = queryOf({ To: number, 'DateSent>': day, PageSize: '500' })
  const call = callAccount(secrets, `/Messages.json${query}`, { operation: 'what came' })
  const isOlder = (page: Fields[]) => page.some((one) => timeOf(one) < since)
  const found = yield* readList(call, { name: 'messages', mostPages: 20, enough: isOlder })
  if ('is' in found) return faultOf(found)
  return found.items.filter((one) => timeOf(one) >= since && one.direction === 'inbound')
}

/** What cannot be read whole now is left for the next time, with all that came after it. */
function* readAll(messages: Fields[], secrets: SmsSecrets): Calls<ProviderEvent[]> {
  const events: ProviderEvent[] = []
  for (const one of messages) {
    const [sid, from] = [asText(one.sid), asText(one.from)]
    if (sid === undefined || from === undefined || !from.startsWith('+')) continue
    const files = Number(one.num_media) > 0 ? yield* listFiles(secrets, sid) : []
    if (files === undefined) break
    events.push(messageOf({ sid, from, at: timeOf(one), body: asText(one.body) ?? '', files, optOut: '' }))
  }
  return events
}

function* listFiles(secrets: SmsSecrets, sid: string): Calls<FileReference[] | undefined> {
  const answer = readAnswer(yield callAccount(secrets, `/Messages/${sid}/Media.json`, { operation: 'its files' }))
  if (answer.is !== 'ok') return undefined
  return asList(answer.result.media_list).flatMap((one) => {
    const media = asFields(one)
    const id = asText(media?.sid)
    return id === undefined ? [] : [fileOf(sid, id, asText(media?.content_type) ?? '')]
  })
}
