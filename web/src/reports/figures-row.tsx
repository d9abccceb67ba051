import type { Report } from '@patchbay/contract/app/reports.ts'
import type { ReportRange } from '@patchbay/contract/report-ranges.ts'
import type { ReactNode } from 'react'
import { classes } from '../ui/classes.ts'
import { About } from './about.tsx'
import { reportWords as words } from './words.ts'

/** The five figures of a range, each compared or explained under it. */
export function FiguresRow({ report, range }: { report: Report; range: ReportRange }) {
  const { total, before, owedNow, isMetered, missesSince } = report
  const { delivery, response, botResolved, botConversations } = total
  const isComparable = missesSince === null || missesSince <= firstDayOf(report, range)
  const better = isComparable && botConversations > 0 && before.botConversations > 0 && shareOf(total) > shareOf(before)
  return (
    <dl className="kpis">
      <Figure name={words.in} about={words.about.in} value={words.number(total.messagesIn)}>
        {words.inThan(total.messagesIn, before.messagesIn, range)}
      </Figure>
      <Figure
        name={words.resolved}
        about={words.about.resolved(missesSince)}
        value={words.percent(botResolved, botConversations)}
        isGood={better}
      >
        {botConversations === 0
          ? words.noReplies
          : isComparable
            ? words.resolvedWas(before)
            : words.resolvedSince(missesSince)}
      </Figure>
      <Figure name={words.response} about={words.about.response} value={words.duration(response.medianMs)}>
        {words.responseSays(response.p90Ms)}
      </Figure>
      <Figure
        name={words.delivered}
        about={words.about.delivered}
        value={words.exactPercent(delivery.sent, delivery.sent + delivery.failed)}
      >
        {words.deliveredSays(delivery.medianMs, owedNow)}
      </Figure>
      {isMetered ? (
        <Figure name={words.credits} about={words.about.credits} value={words.number(total.credits)}>
          {words.aDay(total.credits, Number(range))}
        </Figure>
      ) : (
        <Figure name={words.unanswered} about={words.about.unanswered} value={words.number(total.unanswered)}>
          {words.unansweredSays}
        </Figure>
      )}
    </dl>
  )
}

/** The first of the days that the range is compared with. */
function firstDayOf({ days: [first] }: Report, range: ReportRange): string {
  return first ? new Date(Date.parse(first.day) - Number(range) * 86_400_000).toISOString().slice(0, 10) : ''
}

const shareOf = ({ botResolved, botConversations }: Report['total']) => botResolved / botConversations

type Props = { name: string; about: string; value: string; isGood?: boolean; children: ReactNode }

function Figure({ name, about, value, isGood = false, children }: Props) {
  return (
    <div className="kpis-one">
      <dt className="muted row">
        {name}
        <About figure={name} says={about} />
      </dt>
      <dd>
        <div className="kpis-value">{value}</div>
        <span className={classes('small', isGood ? 'ok' : 'faint')}>{children}</span>
      </dd>
    </div>
  )
}
