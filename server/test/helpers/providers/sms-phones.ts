import assert from 'node:assert/strict'
import type { Channel } from '@patchbay/contract/app/channels.ts'
import { sql } from 'kysely'
import type { ChannelId } from '../../../src/platform/ids.ts'
import type { TestApp } from '../harness.ts'
import { incoming, incomingPath } from '../message-requests.ts'
import { until } from '../until.ts'
import { reply } from './conversations.ts'
import { connectSms, type SmsWorld } from './sms-world.ts'
import { faults, slow } from './telegram-faults.ts'
import type { TwilioAccount } from './twilio-account.ts'

/** A channel of an account of its own at Twilio. */
export type Line = { account: TwilioAccount; channel: Channel }

/** Somebody with a phone, and how they are written to. */
export type Phone = {
  number: string
  contactId: string
  say: (body: string, more?: { fileId?: string }) => Promise<string>
}

type Change = { whenInDoubt?: 'person'; perSecond?: number }

/** `isTrial`: Twilio puts a sentence before each text. */
export async function addLine(
  { owner, twilio, app }: SmsWorld,
  { isTrial = false, ...change }: { isTrial?: boolean } & Change = {},
): Promise<Line> {
  const account = twilio.addAccount()
  if (isTrial) account.type = 'Trial'
  const channel = await connectSms(owner, account, { sender: account.addNumber().phone_number })
  await app.db
    .updateTable('channels')
    .set({ perSecond: 50, ...change })
    .where('id', '=', channel.id as ChannelId)
    .execute()
  return { account, channel }
}

let people = 0

export function newNumber(): string {
  people += 1
  return `+1303555${String(1_000 + people)}`
}

/** They are known by another platform too, and are written to by this channel. */
export async function addPhone(
  { app, owner, shop }: SmsWorld,
  { channel }: Line,
  number = newNumber(),
): Promise<Phone> {
  await app.db.updateTable('accounts').set({ botActive: false }).execute()
  people += 1
  const fromId = `person-${people}`
  const { status, body } = await shop.post(incomingPath, incoming({ fromId, messageSid: `sid of ${fromId}` }))
  assert.equal(status, 200, JSON.stringify(body))
  const { id: contactId } = await app.db
    .selectFrom('contacts')
    .select('id')
    .where('externalId', '=', fromId)
    .executeTakeFirstOrThrow()
  await sql`
    insert into contact_channels (account_id, contact_id, channel_id, address_kind, address)
    values (${shop.accountId}, ${contactId}, ${channel.id}, 'phone', ${number})
  `.execute(app.db)
  return {
    ...{ number, contactId },
    say: async (text, more) => (await reply({ owner }, contactId, text, { channelId: channel.id, ...more })).id,
  }
}

/** A person who is written to over a line that nobody else has, so that what Twilio does to it happens to them alone. */
export async function addLineOf(world: SmsWorld, options?: Parameters<typeof addLine>[1]): Promise<Line & Phone> {
  const line = await addLine(world, options)
  return { ...line, ...(await addPhone(world, line)) }
}

const planned = {
  /** The connection ends without an answer. */
  cut: [faults.cut, { isDone: false }],
  'taken and cut': [faults.cut, { isDone: true }],
  'bare error': [faults.bareError, { isDone: false }],
  slow: [slow(2_000), { isDone: true }],
} as const

/** What happens to the next messages of a line, or to the next looks for one of its messages, one after the other. */
export function planFor(
  { twilio }: SmsWorld,
  { account: { authToken: token } }: Pick<Line, 'account'>,
  what: { send?: (keyof typeof planned)[]; look?: (keyof typeof planned)[] },
): void {
  for (const [operation, ends] of Object.entries(what)) {
    for (const end of ends) {
      const [fault, options] = planned[end]
      twilio.plan(operation, fault, { ...options, of: { token } })
    }
  }
}

/** What Twilio has taken of a line for this number, in order. */
export const takenFor = ({ account }: Pick<Line, 'account'>, { number }: Pick<Phone, 'number'>) =>
  account.messages.filter(({ to }) => to === number)

/** Requests of a line. */
export const callsOf = ({ twilio }: SmsWorld, { account }: Pick<Line, 'account'>, operation: 'send' | 'look') =>
  twilio.calls.filter((call) => call.operation === operation && call.path.includes(account.accountSid))

/** Outgoing messages for which this is so, as it is written within a string of SQL, are of a broadcast. */
export async function makeBroadcasts({ db }: TestApp, isOfBroadcast: string): Promise<AsyncDisposable> {
  await sql`
    create function of_broadcast() returns trigger language plpgsql
    as 'begin
      if new.direction = ''outgoing'' and ${sql.raw(isOfBroadcast)} then new.broadcast_id := ''brc_1''; end if;
      return new;
    end'
  `.execute(db)
  await sql`
    create trigger of_broadcast before insert on messages for each row execute function of_broadcast()
  `.execute(db)
  return { [Symbol.asyncDispose]: async () => void (await sql`drop function of_broadcast cascade`.execute(db)) }
}

type Sent = {
  id: string
  body: string
  n: number
  sentAt: Date | null
  dueAt: Date | null
  errorCategory: string | null
  attempts: number
  doubtSince: Date | null
  lastUrl: string | null
  begunAt: Date | null
  resentAt: Date | null
  providerId: string | null
}

/** What was or is to be sent to them, in order, a row for each part. */
export const sentTo = async ({ app }: SmsWorld, { contactId }: Pick<Phone, 'contactId'>) =>
  (
    await sql<Sent>`
      select d.id, m.body, p.n, d.sent_at, d.due_at, d.error_category, d.attempts, d.doubt_since, d.last_url, p.begun_at, p.resent_at,
        p.provider_id
      from deliveries d join messages m on m.account_id = d.account_id and m.id = d.id
      join delivery_parts p on p.account_id = d.account_id and p.delivery_id = d.id
      where d.contact_id = ${contactId} order by m.outgoing_seq, p.n
    `.execute(app.db)
  ).rows

export type SentRow = Awaited<ReturnType<typeof sentTo>>[number]

/** Waits until the message with this text is as it should be. */
export async function untilOne(
  world: SmsWorld,
  phone: Phone,
  [isIt, otherwise]: [isIt: (row: SentRow) => boolean, otherwise: string],
  patienceMs = 90_000,
): Promise<SentRow> {
  let found: SentRow | undefined
  await until(
    async () => {
      found = (await sentTo(world, phone)).find(isIt)
      return found !== undefined
    },
    otherwise,
    patienceMs,
  ).catch(async (error) => {
    throw new Error(`${otherwise}: ${JSON.stringify(await sentTo(world, phone))}`, { cause: error })
  })
  return found as SentRow // until() has seen it
}
