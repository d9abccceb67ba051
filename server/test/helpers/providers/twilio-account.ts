import { randomBytes } from 'node:crypto'
import { markOfTokens } from '../no-secrets.ts'
import { openPoster, type Poster } from './twilio-hook.ts'

/** What a number or a service can be told, by the names of answers. */
type Told = Record<string, string | boolean>

type TwilioNumber = Told & { sid: string; phone_number: string; friendly_name: string }
type TwilioService = Told & { sid: string; friendly_name: string }

/** A message in the list of the account. */
export type TwilioMessage = {
  sid: string
  direction: 'inbound' | 'outbound-api'
  from: string
  to: string
  service: string | null
  body: string
  status: string
  error_code: number | null
  createdAt: number
  sentAt: number | null
  files: { sid: string; contentType: string; bytes: Buffer }[]
  /** Where its receipts go. */
  callback: string
  /** What it was made with. */
  asked: Record<string, string>
}

export type TwilioAccount = {
  accountSid: string
  authToken: string
  name: string
  key: { sid: string; secret: string } | null
  status: 'active' | 'suspended' | 'closed'
  type: 'Full' | 'Trial'
  numbers: TwilioNumber[]
  services: TwilioService[]
  /** The numbers of each service. */
  members: Map<string, TwilioNumber[]>
  messages: TwilioMessage[]
  /** What is posted to those who set an address. */
  poster: Poster
  /** Who has written STOP to which sender. */
  stopped: Set<string>
  /** How messages to this number end: refused at once with a code, failed in the answer, or later in a receipt. */
  ends: Map<string, { refused: number } | { failedAtOnce: number } | { undelivered: number } | { silent: true }>
  /** What comes and is delivered waits while this is true, as in a queue. */
  isHeld: boolean
  /** How much their clock is ahead of ours, in milliseconds. */
  clockMs: number
  /** How many times a file of a message that came is not there yet. */
  earlyMisses: number
  /** What an owner gives to connect. */
  credentials: (sender?: string) => Record<string, string>
  addNumber: (number?: string, told?: Told) => TwilioNumber
  addService: (name: string, members: TwilioNumber[], told?: Told) => TwilioService
  addKey: () => { keySid: string; keySecret: string }
  /** The primary token is replaced. */
  renew: () => string
}

export const newSid = (prefix: string) => prefix + randomBytes(16).toString('hex')

let made = 0

const newToken = () => `${markOfTokens}${randomBytes(9).toString('hex').slice(0, 17)}`

export function openAccount(name: string): TwilioAccount {
  const account: TwilioAccount = {
    ...{ accountSid: newSid('AC'), authToken: newToken(), name, key: null, status: 'active', type: 'Full' },
    ...{
      numbers: [],
      services: [],
      members: new Map(),
      messages: [],
      stopped: new Set(),
      ends: new Map(),
      isHeld: false,
      clockMs: 0,
      earlyMisses: 0,
    },
    poster: openPoster(() => account.authToken),
    credentials: (sender) => {
      const { accountSid, authToken } = account
      return { accountSid, authToken, ...(sender !== undefined && { sender }) }
    },
    addNumber: (number, told = {}) => {
      made += 1
      const phone_number = number ?? `+4477009${String(made).padStart(5, '0')}`
      const added = {
        ...{ sid: newSid('PN'), phone_number, friendly_name: phone_number, sms_url: demo, sms_method: 'POST' },
        ...{ sms_fallback_url: '', sms_fallback_method: 'POST', sms_application_sid: '', ...told },
      }
      account.numbers.push(added)
      return added
    },
    addService: (friendly_name, members, told = {}) => {
      const added = {
        ...{ sid: newSid('MG'), friendly_name, inbound_request_url: '', inbound_method: 'POST', fallback_url: '' },
        ...{ fallback_method: 'POST', use_inbound_webhook_on_number: false, ...told },
      }
      account.services.push(added)
      account.members.set(added.sid, members)
      return added
    },
    addKey: () => {
      account.key = { sid: newSid('SK'), secret: newToken() }
      return { keySid: account.key.sid, keySecret: account.key.secret }
    },
    renew: () => {
      account.authToken = newToken()
      return account.authToken
    },
  }
  return account
}

/** What Twilio puts at every new number. */
const demo = 'https://demo.twilio.com/welcome/sms/reply/'
