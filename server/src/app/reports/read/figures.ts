import type { Figures } from '@patchbay/contract/app/reports.ts'
import { creditsOf } from '../../../business/credits/amount.ts'
import { percentilesIn, percentilesOf } from '../sums/histogram.ts'
import type { ShownDay } from './report-store.ts'

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
  const messagesIn = sum((day) => day.messagesIn)
  const messagesOut = sum((day) => day.messagesOut)
  const [byBot, byPerson, byApi] = [sum((day) => day.byBot), sum((day) => day.byPerson), sum((day) => day.byApi)]
  const [sent, failed] = [sum((day) => day.sent), sum((day) => day.failed)]
  return {
    messagesIn,
    messagesOut,
    byBot,
    byPerson,
    byApi,
    byNobody: messagesIn - byBot - byPerson - byApi,
    response: { times: responses.total, medianMs: ofTenths(median), p90Ms: ofTenths(p90) },
    botConversations: sum((day) => day.botConversations),
    botResolved: sum((day) => day.botResolved),
    delivery: { sent, failed, open: messagesOut - sent - failed, medianMs },
    unanswered: sum((day) => day.unanswered),
    credits: creditsOf(days.reduce((all, { spent }) => all + BigInt(spent), 0n)),
  }
}

const ofTenths = (tenths: number | null) => (tenths === null ? null : tenths * 100)
