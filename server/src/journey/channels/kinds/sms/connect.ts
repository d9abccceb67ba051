import type { ChannelCheck, ChannelSender, ChannelSenders } from '@patchbay/contract/app/channels.ts'
import type { Calls, Connect, Fault, Identity } from '../kind.ts'
import type { SmsSecrets } from './calls.ts'
import { readCredentials, type SmsSettings } from './credentials.ts'
import {
  type Account,
  findService,
  listNumbers,
  listServices,
  listShortCodes,
  readAccount,
  type Service,
  type SmsNumber,
} from './senders.ts'

export const connect: Connect<SmsSettings, SmsSecrets> = {
  readCredentials: (given) => readCredentials(given, { needsSender: true }),
  known: ({ accountSid, sender }, secrets) => ({
    ...{ accountSid, sender },
    ...(secrets?.key && { keySid: secrets.key.sid, keySecret: secrets.key.secret }),
  }),
  *identify(secrets) {
    const account = yield* readAccount(secrets)
    if ('fault' in account) return account
    return secrets.sender.startsWith('MG')
      ? yield* identifyService(secrets, account)
      : yield* identifyNumber(secrets, account)
  },
  *probe(_settings, secrets) {
    const account = yield* readAccount(secrets)
    return 'fault' in account ? account : null
  },
  senders: {
    *list(given): Calls<ChannelSenders | Fault> {
      const secrets = readCredentials(given, { needsSender: false })
      const account = yield* readAccount(secrets)
      if ('fault' in account) return account
      const numbers = yield* listNumbers(secrets)
      if ('fault' in numbers) return numbers
      const shortCodes = yield* listShortCodes(secrets)
      if ('fault' in shortCodes) return shortCodes
      const services = yield* listServices(secrets)
      if ('fault' in services) return services
      const senders = [
        ...[...numbers, ...shortCodes].map((number) => showNumber(number, services)),
        ...services.map(showService),
      ]
      return { of: account.name, remark: account.isTrial ? trialSays : null, senders }
    },
  },
}

const trialSays =
  'This is a trial account: Twilio sends only to numbers that you have verified there, and puts a sentence before each text.'

function* identifyNumber(secrets: SmsSecrets, account: Account): Calls<Identity<SmsSettings> | Fault> {
  const { sender } = secrets
  const isShortCode = !sender.startsWith('+')
  const numbers = isShortCode ? yield* listShortCodes(secrets) : yield* listNumbers(secrets, sender)
  if ('fault' in numbers) return numbers
  const found = numbers.find(({ number }) => number === sender)
  if (!found) return isNone(`This account has no number ${sender}. Choose one of its numbers.`)
  if (!found.canSms) return isNone(`${sender} cannot send or receive SMS. Choose a number that can.`)
  const services = yield* listServices(secrets)
  if ('fault' in services) return services
  const service = serviceOf(found, services)
  if (service) return isNone(`${sender} ${belongsTo(service)}`)
  const name = /\p{L}/u.test(found.name) ? found.name : account.name
  return identity(secrets, account, { name, address: sender, numberSid: found.sid, serviceSid: null })
}

function* identifyService(secrets: SmsSecrets, account: Account): Calls<Identity<SmsSettings> | Fault> {
  const service = yield* findService(secrets, secrets.sender)
  if ('fault' in service) return service
  const [first, ...others] = service.numbers
  if (first === undefined) return isNone(`The messaging service “${service.name}” ${hasNoNumber}`)
  const address = others.length === 0 ? first : `${first} and ${others.length} more`
  return identity(secrets, account, { name: service.name, address, numberSid: null, serviceSid: service.sid })
}

type Sender = Pick<Identity<SmsSettings>, 'name' | 'address'> & Pick<SmsSettings, 'numberSid' | 'serviceSid'>

function identity(
  { accountSid, sender }: SmsSecrets,
  { isTrial }: Account,
  { name, address, ...sids }: Sender,
): Identity<SmsSettings> {
  const check = (name: ChannelCheck['name'], state: ChannelCheck['state'], sentence: string) => ({
    name,
    state,
    sentence,
    quote: null,
  })
  return {
    ...{ providerKey: `${accountSid}/${sender}`, name, address },
    settings: { accountSid, sender, isTrial, ...sids },
    remarks: [
      check('sender', 'done', `${address} can send and receive SMS.`),
      ...(isTrial ? [check('account', 'waits', trialSays)] : []),
    ],
  }
}

const hasNoNumber = 'has no number that can do SMS, so nobody could write to it.'
const belongsTo = ({ name, sid }: Service) =>
  `belongs to the messaging service “${name}”, which takes its messages. Choose the service: ${sid}.`

/** The one that takes what is written to a number in its place. */
function serviceOf({ number }: SmsNumber, services: Service[]): Service | undefined {
  return services.find(({ numbers, place }) => numbers.includes(number) && !place.leavesItToNumbers)
}

function isNone(fault: string): Fault {
  return { fault, quote: null, isTemporary: false, check: 'sender' }
}

function showNumber(found: SmsNumber, services: Service[]): ChannelSender {
  const { sid, number, name, canSms, place } = found
  const service = serviceOf(found, services)
  const why = !canSms
    ? 'cannot send or receive SMS'
    : service
      ? `belongs to the messaging service “${service.name}”: choose that`
      : null
  const what = sid.startsWith('SC') ? 'short code' : 'number'
  return {
    sender: number,
    name: number,
    says: name === number ? 'SMS both ways' : name,
    what,
    reportsTo: hostOf(place),
    why,
  }
}

function showService({ sid, name, numbers, place }: Service): ChannelSender {
  const says = numbers.length === 1 ? (numbers[0] ?? '') : `${numbers.length} numbers, Twilio chooses`
  const why = numbers.length === 0 ? hasNoNumber : null
  return { sender: sid, name, says, what: 'messaging service', reportsTo: hostOf(place), why }
}

function hostOf({ to }: Service['place']): string | null {
  return to && (URL.parse(to)?.host || to)
}
