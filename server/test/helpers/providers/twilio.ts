import type { ServerResponse } from 'node:http'
import { type Received, startReceiver } from '../receivers.ts'
import { until } from '../until.ts'
import { type Faults, openFaults } from './telegram-faults.ts'
import { openAccount, type TwilioAccount, type TwilioMessage } from './twilio-account.ts'
import { refuse, send } from './twilio-faults.ts'
import { createMessage, listMessages, receiveMessage, type Texted } from './twilio-messages.ts'

/** A request that the double got, and when. */
type ApiCall = {
  at: number
  operation: string
  path: string
  form: Record<string, string>
  authorization: string | undefined
}

export type TwilioDouble = AsyncDisposable & {
  /** For `CHANNEL_ORIGINS`. */
  origins: string
  url: string
  calls: ApiCall[]
  addAccount: (name?: string) => TwilioAccount
  /** The next requests of this operation get this; `isDone`: it is done all the same. Returns what ends it early. */
  plan: Faults['plan']
  /** From now on no connection is taken, until it comes back at the same address. */
  goAway: () => Promise<void>
  comeBack: () => Promise<void>
}

/** Of doubles that have ended. The next one takes the same, so that a server of the app that knows it can be shared. */
const ports: number[] = []

/** A server that behaves like Twilio's API for SMS, as far as its documentation says how that behaves. */
export async function startTwilio({ atNewAddress = false } = {}): Promise<TwilioDouble> {
  const [accounts, calls, faults]: [TwilioAccount[], ApiCall[], Faults] = [[], [], openFaults()]
  const answerTo = (request: Received, response: ServerResponse) => {
    const [path = '', query = ''] = request.path.split('?')
    const form = Object.fromEntries(new URLSearchParams(request.body.toString()))
    const { authorization } = request.headers
    const operation = operationOf(request.method, path, query)
    calls.push({ at: Date.now(), operation, path: request.path, form, authorization })
    if (operation === 'cdn') return void sendFile(accounts, path, response)
    const account = accounts.find((one) => mayCall(one, authorization, operation))
    const isOwn =
      account && (!path.startsWith('/2010') || path.startsWith(`/2010-04-01/Accounts/${account.accountSid}`))
    if (!account || !isOwn) return void refuse(response, 401, 20_003, 'Authenticate')
    const planned = faults.next(operation, account.authToken)
    if (planned && !planned.isDone) return void planned.fault(response)
    const asked = { account, path, query: new URLSearchParams(query), form, base: http.url.replace(/\/$/, '') }
    const answer = act(operation, asked)
    if (planned) planned.fault(response, () => answer(response))
    else answer(response)
  }
  let http = await startReceiver(answerTo, { port: (atNewAddress ? undefined : ports.pop()) ?? 0 }).catch(() =>
    startReceiver(answerTo),
  )
  const { port } = http
  const url = http.url.replace(/\/$/, '')
  return {
    ...{ origins: `sms=${url},sms.messaging=${url}`, url, calls, plan: faults.plan },
    addAccount: (name = 'Kettle Lane Ltd') => {
      const account = openAccount(name)
      accounts.push(account)
      return account
    },
    goAway: async () => http[Symbol.asyncDispose](),
    comeBack: async () => {
      http = await startReceiver(answerTo, { port })
    },
    async [Symbol.asyncDispose]() {
      for (const account of accounts) {
        account.poster.stop()
        account.isHeld = false
      }
      await http[Symbol.asyncDispose]()
      ports.push(port)
    },
  }
}

/** A key may do everything but look at the account itself. */
function mayCall({ accountSid, authToken, key }: TwilioAccount, given: string | undefined, operation: string): boolean {
  const allowed = [
    `${accountSid}:${authToken}`,
    ...(key && operation !== 'account' ? [`${key.sid}:${key.secret}`] : []),
  ]
  return allowed.some((one) => given === `Basic ${Buffer.from(one).toString('base64')}`)
}

const operations: [operation: string, method: string, path: RegExp][] = [
  ['send', 'POST', /\/Messages\.json$/],
  ['list', 'GET', /\/Messages\.json$/],
  ['files', 'GET', /\/Messages\/\w+\/Media\.json$/],
  ['file', 'GET', /\/Messages\/\w+\/Media\/\w+$/],
  ['account', 'GET', /\/Accounts\/\w+\.json$/],
  ['numbers', 'GET', /\/IncomingPhoneNumbers\.json$/],
  ['number', 'GET', /\/IncomingPhoneNumbers\/\w+\.json$/],
  ['set number', 'POST', /\/IncomingPhoneNumbers\/\w+\.json$/],
  ['short codes', 'GET', /\/SMS\/ShortCodes\.json$/],
  ['services', 'GET', /\/v1\/Services$/],
  ['service', 'GET', /\/v1\/Services\/\w+$/],
  ['set service', 'POST', /\/v1\/Services\/\w+$/],
  ['members', 'GET', /\/v1\/Services\/\w+\/PhoneNumbers$/],
  ['member codes', 'GET', /\/v1\/Services\/\w+\/ShortCodes$/],
  ['cdn', 'GET', /^\/cdn\//],
]

/** `list` is that of all since a day, and `look` that of those to one number. */
function operationOf(method: string, path: string, query: string): string {
  const found = operations.find(([, one, format]) => one === method && format.test(path))?.[0] ?? 'unknown'
  return found === 'list' && !query.includes('DateSent') ? 'look' : found
}

type Asked = {
  account: TwilioAccount
  path: string
  query: URLSearchParams
  form: Record<string, string>
  base: string
}

function act(operation: string, { account, path, query, form, base }: Asked): (response: ServerResponse) => unknown {
  const ok = (body: object) => (response: ServerResponse) => send(response, 200, body)
  const [sid = ''] = /(PN|MG)\w{32}/.exec(path) ?? []
  const number = account.numbers.find((one) => one.sid === sid)
  const service = account.services.find((one) => one.sid === sid)
  const { accountSid: account_sid } = account
  const members = account.members.get(sid) ?? []
  switch (operation) {
    case 'send':
      return createMessage(account, form)
    case 'list':
    case 'look':
      return ok(listMessages(account, query))
    case 'account':
      return ok({ sid: account_sid, friendly_name: account.name, status: account.status, type: account.type })
    case 'numbers':
      return ok({ incoming_phone_numbers: numbersOf(account, query.get('PhoneNumber')), next_page_uri: null })
    case 'number':
    case 'set number':
      if (!number) break
      tell(number, form)
      return ok({ ...number, account_sid, capabilities: { voice: true, sms: number.sms !== false, mms: true } })
    case 'short codes':
      return ok({ short_codes: [], next_page_uri: null })
    case 'services':
      return ok({
        services: account.services.map((one) => ({ ...one, account_sid })),
        meta: { next_page_url: null },
      })
    case 'service':
    case 'set service':
      if (!service) break
      tell(service, form)
      return ok({ ...service, account_sid })
    case 'members':
      return ok({
        phone_numbers: members.map(({ sid: id, phone_number }) => ({ sid: id, phone_number, capabilities: ['SMS'] })),
      })
    case 'member codes':
      return ok({ short_codes: [] })
    case 'file':
    case 'files':
      return (response) => findFile(account, { path, operation, base }, response)
  }
  return (response) => refuse(response, 404, 20_404, `The requested resource ${path} was not found`)
}

function numbersOf(account: TwilioAccount, asked: string | null): object[] {
  const found = account.numbers.filter(({ phone_number: one }) => asked === null || one.includes(asked))
  return found.map((one) => ({ ...one, capabilities: { voice: true, sms: one.sms !== false, mms: true } }))
}

/** `SmsUrl` is given, and `sms_url` is kept. */
function withForm(form: Record<string, string>): Record<string, string | boolean> {
  const named = (name: string) => name.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase()
  return Object.fromEntries(
    Object.entries(form).map(([name, value]) => [named(name), name.startsWith('Use') ? value === 'true' : value]),
  )
}

function tell(one: Record<string, unknown>, form: Record<string, string>): void {
  Object.assign(one, withForm(form))
}

/** In the first moments it is not there; then it leads to where files lie. */
function findFile(
  account: TwilioAccount,
  { path, operation, base }: { path: string; operation: string; base: string },
  response: ServerResponse,
): void {
  const message = account.messages.find(({ sid }) => path.includes(sid))
  if (operation === 'files') {
    const list = (message?.files ?? []).map(({ sid, contentType: content_type }) => ({ sid, content_type }))
    return void send(response, 200, { media_list: list })
  }
  const file = message?.files.find(({ sid }) => path.endsWith(sid))
  if (account.earlyMisses > 0) account.earlyMisses -= 1
  else if (file) return void response.writeHead(307, { location: `${base}/cdn/${file.sid}` }).end()
  refuse(response, 404, 20_404)
}

function sendFile(accounts: TwilioAccount[], path: string, response: ServerResponse): void {
  const files = accounts.flatMap(({ messages }) => messages.flatMap((one) => one.files))
  const file = files.find(({ sid }) => path.endsWith(sid))
  if (!file) return void refuse(response, 404, 20_404)
  response.writeHead(200, { 'content-type': file.contentType }).end(file.bytes)
}

/** Somebody with a phone. */
export type Texter = {
  phone: string
  /** Writes to the number; `isTold` false: nobody is called. */
  text: (body: string, more?: Omit<Texted, 'to' | 'from'>, isTold?: boolean) => TwilioMessage
  /** What the phone shows: messages that were sent to it. */
  shown: () => TwilioMessage[]
}

let people = 0

export function addTexter(account: TwilioAccount, to: string, phone?: string): Texter {
  people += 1
  const from = phone ?? `+1555${String(1_000_000 + people)}`
  return {
    phone: from,
    text: (body, more = {}, isTold = true) => receiveMessage(account, body, { ...more, to, from }, isTold),
    shown: () => account.messages.filter((one) => one.to === from && one.sentAt !== null),
  }
}

/** Waits until the phone shows so many messages. */
export async function untilTexted(texter: Texter, count: number): Promise<TwilioMessage[]> {
  await until(() => texter.shown().length >= count, `not ${count} messages were sent to ${texter.phone}`)
  return texter.shown()
}
