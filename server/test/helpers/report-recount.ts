import { sql } from 'kysely'
import type { Db } from '../../src/platform/database/db.ts'

/**
 * The figures of a day and channel, counted from the rows, message by message, as the definitions say it. Written apart from
 * the product, so that both can only agree when both are right.
 */
type Figures = {
  messagesIn: number
  messagesOut: number
  byBot: number
  byPerson: number
  byApi: number
  sent: number
  failed: number
  unanswered: number
  spent: number
  botConversations: number
  botResolved: number
  /** Tenths of a second, and milliseconds, sorted. */
  responses: number[]
  deliveries: number[]
}

/** `lastAnswers`: the outcome of the bot's last answer to each contact. */
type Found = Figures & { bot: Set<string>; others: Set<string>; lastAnswers: Map<string, string> }

/** By day and channel; the channel `all` has all of them together. */
export type ByDay = Record<string, Figures>

type Message = {
  contactId: string
  seq: number
  direction: string
  author: string
  kind: string
  channel: string
  isBroadcast: boolean
  at: Date
  sentAt: Date | null
  isGivenUp: boolean
}

export async function recount(db: Db, accountId: string, zone: string): Promise<ByDay> {
  const found: Record<string, Found> = {}
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
  /** Both figures that something at this time and on this channel belongs to. */
  const at = (time: Date, channel: string | null) =>
    [`${day.format(time)} all`, ...(channel === null ? [] : [`${day.format(time)} ${channel}`])].map((key) => {
      found[key] ??= { ...none(), bot: new Set(), others: new Set(), lastAnswers: new Map() }
      return found[key]
    })

  const messages = await readMessages(db, accountId)
  const closes = await readCloses(db, accountId)
  for (const message of messages) {
    if (message.kind === 'reaction') continue
    if (message.direction === 'outgoing') {
      for (const figures of at(message.at, message.channel)) countOutgoing(figures, message)
      continue
    }
    const reply = replyTo(message, messages, closes)
    for (const figures of at(message.at, message.channel)) {
      figures.messagesIn += 1
      if (reply?.author === 'bot') figures.byBot += 1
      if (reply?.author === 'person') figures.byPerson += 1
      if (reply?.author === 'api') figures.byApi += 1
    }
    if (!reply || messages.some((other) => isAskedBefore(other, message) && replyTo(other, messages, closes) === reply))
      continue
    const tenths = Math.max(0, Math.floor((reply.at.getTime() - message.at.getTime()) / 100))
    for (const figures of at(message.at, message.channel)) figures.responses.push(tenths)
  }
  for (const { contactId, at: time, channel, outcome } of await readAnswers(db, accountId)) {
    for (const figures of at(time, channel)) {
      if (outcome !== 'handed over') figures.lastAnswers.set(contactId, outcome)
      if (outcome === 'handed over') figures.others.add(contactId)
      if (outcome === 'fell back' || outcome === 'offered') figures.unanswered += 1
    }
  }
  for (const { at: time, channel, units } of await readSpending(db, accountId)) {
    for (const figures of at(time, channel)) figures.spent += Number(units)
  }
  return Object.fromEntries(
    Object.entries(found).map(([key, { bot, others, lastAnswers, ...figures }]) => [
      key,
      {
        ...figures,
        botConversations: bot.size,
        botResolved: [...bot].filter((contactId) => {
          return !others.has(contactId) && (lastAnswers.get(contactId) ?? 'answered') === 'answered'
        }).length,
        responses: figures.responses.toSorted((a, b) => a - b),
        deliveries: figures.deliveries.toSorted((a, b) => a - b),
      },
    ]),
  )
}

function none(): Figures {
  return {
    messagesIn: 0,
    messagesOut: 0,
    byBot: 0,
    byPerson: 0,
    byApi: 0,
    sent: 0,
    failed: 0,
    unanswered: 0,
    spent: 0,
    botConversations: 0,
    botResolved: 0,
    responses: [],
    deliveries: [],
  }
}

function countOutgoing(figures: Found, { contactId, author, at, sentAt, isGivenUp }: Message): void {
  figures.messagesOut += 1
  if (author === 'bot') figures.bot.add(contactId)
  if (author === 'person') figures.others.add(contactId)
  if (isGivenUp) figures.failed += 1
  if (!sentAt) return
  figures.sent += 1
  figures.deliveries.push(Math.max(0, sentAt.getTime() - at.getTime()))
}

type Close = { contactId: string; seq: number }

/** The first reply after a message, unless somebody closed the conversation in between. */
function replyTo(message: Message, messages: Message[], closes: Close[]): Message | undefined {
  const later = messages.filter(({ contactId, seq }) => contactId === message.contactId && seq > message.seq)
  const reply = later.find(({ direction, isBroadcast }) => direction === 'outgoing' && !isBroadcast)
  const isClosed = closes.some(
    ({ contactId, seq }) => contactId === message.contactId && seq >= message.seq && seq < (reply?.seq ?? 0),
  )
  return isClosed ? undefined : reply
}

const isAskedBefore = (other: Message, { contactId, seq }: Message) =>
  other.contactId === contactId && other.direction === 'incoming' && other.kind === 'text' && other.seq < seq

async function readMessages(db: Db, accountId: string): Promise<Message[]> {
  const { rows } = await sql<Message>`
    select m.contact_id, m.seq::integer as seq, m.direction, m.author, m.kind, coalesce(m.channel, 'custom') as channel,
      m.broadcast_id is not null as is_broadcast, m.created_at as at, d.sent_at, d.id is not null and d.sent_at is null and d.due_at is null as is_given_up
    from messages m left join deliveries d on d.account_id = m.account_id and d.id = m.id
    where m.account_id = ${accountId} and m.contact_id not in (select id from contacts where is_simulated)
    order by m.contact_id, m.seq
  `.execute(db)
  return rows
}

async function readCloses(db: Db, accountId: string): Promise<Close[]> {
  const { rows } = await sql<Close>`
    select contact_id, seq::integer as seq from conversation_events
    where account_id = ${accountId} and kind = 'closed'
  `.execute(db)
  return rows
}

async function readAnswers(db: Db, accountId: string) {
  const { rows } = await sql<{ contactId: string; at: Date; channel: string; outcome: string }>`
    select a.contact_id, a.created_at as at, a.outcome, (
      select coalesce(m.channel, 'custom') from messages m
      where m.account_id = a.account_id and m.contact_id = a.contact_id and m.seq = a.to_seq
    ) as channel
    from answers a where a.account_id = ${accountId}
      and a.contact_id not in (select id from contacts where is_simulated)
      and a.outcome in ('handed over', 'fell back', 'offered', 'answered') and a.reason not in ('greeting', 'thanks')
    order by a.contact_id, a.from_seq
  `.execute(db)
  return rows
}

async function readSpending(db: Db, accountId: string) {
  const { rows } = await sql<{ at: Date; channel: string | null; units: string }>`
    select l.created_at as at, case l.kind when 'usage' then l.amount else -l.amount end as units, (
      select coalesce(m.channel, 'custom') from messages m
      where m.account_id = o.account_id and m.contact_id = o.contact_id and m.seq = o.from_seq
    ) as channel
    from ledger l join ledger o on o.account_id = l.account_id and o.id = coalesce(l.reverses, l.id)
    where l.account_id = ${accountId} and o.kind = 'usage'
  `.execute(db)
  return rows
}

/** The same figures as the product keeps them. */
export async function readCounted(db: Db, accountId: string): Promise<ByDay> {
  const { rows } = await sql<Omit<Figures, 'responses' | 'deliveries'> & Record<string, unknown>>`
    select d.day::text as day, case d.channel when 0 then 'all' else coalesce(h.label, 'former') end as label, d.messages_in, d.messages_out, d.by_bot, d.by_person,
      d.by_api, d.sent, d.failed, d.unanswered, d.spent::integer as spent, d.bot_conversations, d.bot_resolved,
      d.responses, d.deliveries
    from report_days d left join report_channels h on h.account_id = d.account_id and h.id = d.channel
    where d.account_id = ${accountId}
  `.execute(db)
  return Object.fromEntries(
    rows.map(({ day, label, responses, deliveries, ...figures }) => [
      `${day} ${label}`,
      { ...figures, responses: valuesIn(responses as Buffer), deliveries: valuesIn(deliveries as Buffer) } as Figures,
    ]),
  )
}

/** What a histogram holds: pairs of a difference and a count, in groups of seven bits. */
function valuesIn(bytes: Buffer): number[] {
  const numbers: number[] = []
  for (let [at, number, shift] = [0, 0, 0]; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    number += (byte & 127) * 2 ** shift
    shift += 7
    if (byte < 128) {
      numbers.push(number)
      ;[number, shift] = [0, 0]
    }
  }
  let value = 0
  return numbers.flatMap((number, n) => {
    if (n % 2 === 1) return Array<number>(number).fill(value)
    value += number
    return []
  })
}
