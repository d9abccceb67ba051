import type { Figures, Report } from '@patchbay/contract/app/reports.ts'
import type { ReportRange } from '@patchbay/contract/report-ranges.ts'
import { creditsOf } from '../../../business/credits/amount.ts'
import { findChannels, type ShownChannel } from '../../../people/contacts/channel-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'
import { percentilesIn, percentilesOf } from '../sums/histogram.ts'
import { makeCounts, noChannel } from '../sums/quarter-store.ts'
import { countPending, readDays, readLabels, readReportedAccount, type ShownDay, sumQuestions } from './report-store.ts'

export type ReportQuery = { range: ReportRange; channel?: string | undefined }

/** The report of an account. A channel that the account does not have has no messages. */
export async function readReport(db: Db, accountId: AccountId, asked: ReportQuery, now?: string): Promise<Report> {
  const [account, labels, owedNow, openQuestions] = await Promise.all([
    readReportedAccount(db, accountId, now),
    readLabels(db, accountId),
    countPending(db, accountId, asked.channel?.replaceAll('\0', '')), // PostgreSQL takes no NUL
    sumQuestions(db, accountId),
  ])
  const { today, timeZone, counting, isMetered, missesSince } = account
  const { days, earlier } = await readSpan(db, accountId, { asked, today, labels })
  const known = [...labels.values()].filter((label) => label !== null)
  const colours = await findChannels(db, accountId, known)
  const main = days.filter(({ channel }) => asked.channel !== undefined || channel === noChannel)
  const byDay = Map.groupBy(main, ({ day }) => day)
  return {
    timeZone,
    counting,
    isMetered,
    missesSince,
    owedNow,
    openQuestions,
    total: figuresOf(main),
    before: figuresOf(earlier),
    days: daysUntil(today, Number(asked.range)).map((day) => ({ day, figures: figuresOf(byDay.get(day) ?? []) })),
    channels: byChannel(days, (id) => channelOf(labels.get(id) ?? null, colours)),
    allChannels: known.map(colours),
  }
}

type Span = { asked: ReportQuery; today: string; labels: Map<number, string | null> }

/** The days of the range, and those of the span before. */
export async function readSpan(
  db: Db,
  accountId: AccountId,
  { asked: { range, channel }, today, labels }: Span,
): Promise<{ days: ShownDay[]; earlier: ShownDay[] }> {
  const id = [...labels].find(([, label]) => label === channel)?.[0]
  if (channel !== undefined && id === undefined) return { days: [], earlier: [] }
  const rows = await readDays(db, accountId, { range, today, channel: channel === undefined ? undefined : id })
  const [first = today] = daysUntil(today, Number(range))
  return { days: rows.filter(({ day }) => day >= first), earlier: rows.filter(({ day }) => day < first) }
}

function channelOf(label: string | null, colours: (label: string) => ShownChannel): ShownChannel | null {
  return label === null ? null : colours(label)
}

type ChannelFigures = { channel: ShownChannel | null; figures: Figures }

/** The channels, the busiest first; those without a label together, at the end. */
function byChannel(days: ShownDay[], channelOf: (id: number) => ShownChannel | null): ChannelFigures[] {
  const rows = days.filter(({ channel }) => channel !== noChannel)
  const groups = Map.groupBy(rows, ({ channel }) => channelOf(channel)?.label ?? null)
  const found = [...groups.values()].map((ofOne) => {
    return { channel: channelOf(ofOne[0]?.channel ?? noChannel), figures: figuresOf(ofOne) }
  })
  const rank = ({ channel, figures }: ChannelFigures) =>
    channel === null ? -1 : figures.messagesIn + figures.messagesOut
  return found.toSorted((a, b) => rank(b) - rank(a))
}

/** The last days, the oldest first. Dates without a time: no clock changes among them. */
function daysUntil(today: string, days: number): string[] {
  const end = Date.parse(`${today}T00:00Z`)
  return Array.from({ length: days }, (_, n) => new Date(end - (days - 1 - n) * 86_400_000).toISOString().slice(0, 10))
}

/** What days, or channels of a day, come to together. Percentiles are exact: all times are there. */
export function figuresOf(days: ShownDay[]): Figures {
  const sum = (of: (day: ShownDay) => number) => days.reduce((all, day) => all + of(day), 0)
  const timesOf = (of: (day: ShownDay) => Buffer, percents: number[]) => {
    const [first, ...more] = days
    return first && more.length === 0 ? percentilesIn(of(first), percents) : percentilesOf(days.map(of), percents)
  }
  const responses = timesOf((day) => day.responses, [50, 90])
  const [median = null, p90 = null] = responses.values
  const [medianMs = null] = timesOf((day) => day.deliveries, [50]).values
  const { sent, failed, ...counts } = makeCounts((name) => sum((day) => day[name]))
  const { messagesIn, messagesOut, byBot, byPerson, byApi } = counts
  return {
    ...counts,
    byNobody: messagesIn - byBot - byPerson - byApi,
    response: { times: responses.total, medianMs: ofTenths(median), p90Ms: ofTenths(p90) },
    botConversations: sum((day) => day.botConversations),
    botResolved: sum((day) => day.botResolved),
    delivery: { sent, failed, open: messagesOut - sent - failed, medianMs },
    credits: creditsOf(days.reduce((all, { spent }) => all + BigInt(spent), 0n)),
  }
}

const ofTenths = (tenths: number | null) => (tenths === null ? null : tenths * 100)
