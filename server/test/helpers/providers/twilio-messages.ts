import type { ServerResponse } from 'node:http'
import { request } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { measureSms } from '@patchbay/contract/segments.ts'
import { newSid, type TwilioAccount, type TwilioMessage } from './twilio-account.ts'
import { refuse, send } from './twilio-faults.ts'

const stepMs = 20
const stopWords = ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT']

/** A message of ours: taken or refused; then it goes its way, and each step is told. */
export function createMessage(
  account: TwilioAccount,
  form: Record<string, string>,
): (response: ServerResponse) => void {
  const { To: to = '', From: from = '', MessagingServiceSid: service, Body: body = '', MediaUrl: media } = form
  const no = (status: number, code: number) => (response: ServerResponse) => refuse(response, status, code)
  const members = account.members.get(service ?? '')
  const sender = service === undefined ? account.numbers.find(({ phone_number: one }) => one === from) : members?.[0]
  if (!/^\+[1-9]\d{5,14}$/.test(to)) return no(400, 21_211)
  if (!sender) return no(400, 21_606)
  if (body.length > 1_600) return no(400, 21_617)
  if (body === '' && !media) return no(400, 21_619)
  const end = account.ends.get(to)
  if (end && 'refused' in end) return no(end.refused === 20_429 ? 429 : 400, end.refused)
  if (account.stopped.has(`${to} ${service ?? from}`)) return no(400, 21_610)
  const hasFailed = end && 'failedAtOnce' in end
  const message: TwilioMessage = {
    ...{ sid: newSid(media ? 'MM' : 'SM'), direction: 'outbound-api', from: sender.phone_number, to, body, files: [] },
    ...{
      service: service ?? null,
      createdAt: Date.now() + account.clockMs,
      sentAt: null,
      callback: form.StatusCallback ?? '',
      asked: form,
    },
    status: hasFailed ? 'failed' : service === undefined ? 'queued' : 'accepted',
    error_code: hasFailed ? end.failedAtOnce : null,
  }
  if (account.type === 'Trial') message.body = `Sent from your Twilio trial account - ${body}`
  account.messages.push(message)
  if (!hasFailed) void deliver(account, message)
  return (response) => send(response, 201, shown(account, message))
}

async function deliver(account: TwilioAccount, message: TwilioMessage): Promise<void> {
  await sleep(stepMs)
  while (account.isHeld) await sleep(stepMs)
  const file = message.asked.MediaUrl && (await fetchFile(message.asked.MediaUrl))
  if (file) message.files.push(file)
  message.sentAt = Date.now()
  const end = account.ends.get(message.to)
  if (end && 'silent' in end) return step(account, message, 'sent')
  await step(account, message, 'sent')
  await sleep(stepMs)
  if (end && 'undelivered' in end) await step(account, message, 'undelivered', end.undelivered)
  else await step(account, message, 'delivered')
}

/** Tells of a step, as often as is asked. */
export async function step(
  account: TwilioAccount,
  message: TwilioMessage,
  status: string,
  code?: number,
): Promise<void> {
  message.status = status
  message.error_code = code ?? null
  if (message.callback === '') return
  const { sid, from, to, service } = message
  await account.poster.post({
    url: message.callback,
    form: {
      ...{ AccountSid: account.accountSid, ApiVersion: '2010-04-01', From: from, To: to, MessageSid: sid, SmsSid: sid },
      ...{ MessageStatus: status, SmsStatus: status, ...(service && { MessagingServiceSid: service }) },
      ...(code !== undefined && { ErrorCode: String(code) }),
    },
  })
}

async function fetchFile(url: string): Promise<TwilioMessage['files'][number] | undefined> {
  const { promise, resolve } = Promise.withResolvers<TwilioMessage['files'][number] | undefined>()
  const asked = request(url, { rejectUnauthorized: false, timeout: 10_000 }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk) => chunks.push(chunk))
    response.on('end', () => {
      const contentType = String(response.headers['content-type'])
      resolve(
        response.statusCode === 200 ? { sid: newSid('ME'), contentType, bytes: Buffer.concat(chunks) } : undefined,
      )
    })
  })
  asked.on('error', () => resolve(undefined))
  asked.end()
  return promise
}

export type Texted = {
  to: string
  from: string
  files?: { contentType: string; bytes: Buffer }[]
  extra?: Record<string, string>
}

/** Somebody writes to a number: kept in the list, and posted to where the number or its service says. `isTold` false: nobody is called. */
export function receiveMessage(account: TwilioAccount, body: string, texted: Texted, isTold = true): TwilioMessage {
  const { to, from, files = [], extra = {} } = texted
  const number = account.numbers.find(({ phone_number: one }) => one === to)
  const service = account.services.find(({ sid }) => account.members.get(sid)?.some((one) => one === number))
  const takes = service?.use_inbound_webhook_on_number === false ? service : undefined
  const message: TwilioMessage = {
    ...{
      sid: newSid(files.length > 0 ? 'MM' : 'SM'),
      direction: 'inbound',
      from,
      to,
      service: takes?.sid ?? null,
      body,
    },
    ...{ status: 'received', error_code: null, createdAt: Date.now(), sentAt: Date.now(), callback: '', asked: {} },
    files: files.map((file) => ({ sid: newSid('ME'), ...file })),
  }
  account.messages.push(message)
  const said = body.trim().toUpperCase()
  if (stopWords.includes(said)) account.stopped.add(`${from} ${takes?.sid ?? to}`)
  if (['START', 'UNSTOP', 'YES'].includes(said)) account.stopped.delete(`${from} ${takes?.sid ?? to}`)
  const [url, fallback] = takes
    ? [takes.inbound_request_url, takes.fallback_url]
    : [number?.sms_url, number?.sms_fallback_url]
  if (isTold && typeof url === 'string' && url.startsWith('https:') && !url.startsWith('https://demo.')) {
    void account.poster.post({ url, fallback: String(fallback), form: { ...formOf(account, message), ...extra } })
  }
  return message
}

/** As it is posted. */
export function formOf({ accountSid }: TwilioAccount, message: TwilioMessage): Record<string, string> {
  const { sid, from, to, service, body, files } = message
  const media = files.flatMap(({ sid: id, contentType }, n) => [
    [`MediaUrl${n}`, `https://api.twilio.com/2010-04-01/Accounts/${accountSid}/Messages/${sid}/Media/${id}`],
    [`MediaContentType${n}`, contentType],
  ])
  return {
    ...{ ToCountry: 'GB', FromCountry: 'GB', FromCity: '', FromZip: '', SmsStatus: 'received', NumSegments: '1' },
    ...{ MessageSid: sid, SmsSid: sid, SmsMessageSid: sid, AccountSid: accountSid, From: from, To: to, Body: body },
    ...{ NumMedia: String(files.length), ApiVersion: '2010-04-01', ...(service && { MessagingServiceSid: service }) },
    ...Object.fromEntries(media),
  }
}

const dateOf = (at: number | null) => at && new Date(at).toUTCString().replace('GMT', '+0000')

function shown({ accountSid }: TwilioAccount, message: TwilioMessage): object {
  const { sid, direction, from, to, body, status, error_code, service, files, createdAt, sentAt } = message
  const isWaiting = direction !== 'inbound' && sentAt === null
  return {
    ...{ sid, account_sid: accountSid, api_version: '2010-04-01', direction, to, body, status, error_code },
    ...{ from: service !== null && isWaiting ? null : from, messaging_service_sid: service, error_message: null },
    ...{ num_media: String(files.length), num_segments: String(measureSms(body).segments), price: null },
    ...{ date_created: dateOf(createdAt), date_updated: dateOf(createdAt), date_sent: dateOf(sentAt) },
    uri: `/2010-04-01/Accounts/${accountSid}/Messages/${sid}.json`,
  }
}

/** Newest first, a page. By the day of sending only what was sent is found. */
export function listMessages(account: TwilioAccount, query: URLSearchParams): object {
  const [to, from, since] = [query.get('To'), query.get('From'), query.get('DateSent>')]
  const [size, page] = [Number(query.get('PageSize') ?? 50), Number(query.get('Page') ?? 0)]
  const found = account.messages.filter(
    (one) =>
      (to === null || one.to === to) &&
      (from === null || one.from === from) &&
      (since === null || (one.sentAt !== null && new Date(one.sentAt).toISOString().slice(0, 10) >= since)),
  )
  const newest = found.toReversed().slice(page * size, (page + 1) * size)
  const next = new URLSearchParams(query)
  next.set('Page', String(page + 1))
  const hasNext = found.length > (page + 1) * size
  const path = `/2010-04-01/Accounts/${account.accountSid}/Messages.json`
  return {
    ...{ messages: newest.map((one) => shown(account, one)), page, page_size: size },
    next_page_uri: hasNext ? `${path}?${next}` : null,
  }
}
