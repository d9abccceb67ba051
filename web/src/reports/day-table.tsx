import type { Report } from '@patchbay/contract/app/reports.ts'
import { Table } from '../ui/table.tsx'
import { reportWords as words } from './words.ts'

type Props = { days: Report['days']; hasApi: boolean; isMetered: boolean }

/** What the chart shows, and more, in numbers; the newest day first. */
export function DayTable({ days, hasApi, isMetered }: Props) {
  const { dayColumns: names } = words
  const columns = columnsOf(hasApi, isMetered)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, and by keyboard only with the focus
    <section className="day-table" tabIndex={0} aria-label={words.byDay}>
      <Table label={words.byDay} inCard>
        <thead>
          <tr>
            <th>{names.day}</th>
            {columns.map(({ name }) => (
              <th className="num" key={name}>
                {names[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ day, figures }) => (
            <tr key={day}>
              <th scope="row">{words.dayLong(day)}</th>
              {columns.map(({ name, of }) => (
                <td className="num" data-label={names[name]} key={name}>
                  {of(figures)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
    </section>
  )
}

type Figures = Report['total']
type Column = { name: keyof typeof words.dayColumns; of: (figures: Figures) => string }

function columnsOf(hasApi: boolean, isMetered: boolean): Column[] {
  const count = (name: Column['name'], of: (figures: Figures) => number): Column => {
    return { name, of: (figures) => words.number(of(figures)) }
  }
  return [
    count('in', ({ messagesIn }) => messagesIn),
    count('out', ({ messagesOut }) => messagesOut),
    count('bot', ({ byBot }) => byBot),
    count('person', ({ byPerson }) => byPerson),
    ...(hasApi ? [count('api', ({ byApi }) => byApi)] : []),
    count('nobody', ({ byNobody }) => byNobody),
    { name: 'resolved', of: ({ botResolved, botConversations }) => words.percent(botResolved, botConversations) },
    { name: 'response', of: ({ response }) => words.duration(response.medianMs) },
    { name: 'p90', of: ({ response }) => words.duration(response.p90Ms) },
    count('unanswered', ({ unanswered }) => unanswered),
    { name: 'delivered', of: ({ delivery: { sent, failed } }) => words.exactPercent(sent, sent + failed) },
    ...(isMetered ? [count('credits', ({ credits }) => credits)] : []),
  ]
}
