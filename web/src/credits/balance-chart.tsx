import './credits.css'
import '../ui/surface.css'
import type { CreditDay } from '@patchbay/contract/app/agency.ts'
import { useMedia } from '../ui/use-media.ts'
import { formatCredits } from './amount.ts'
import { chartOf } from './chart.ts'
import { creditWords as words } from './words.ts'

/** The balance at the end of each day. The history below says the same in numbers. */
export function BalanceChart({ days, threshold }: { days: CreditDay[]; threshold?: number | undefined }) {
  const width = useMedia('(width < 640px)') ? 300 : 560 // about as wide as it is shown, so that its text can be read
  const { height, left, right, line, area, ticks, thresholdY, grant } = chartOf(days, threshold, width)
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last) return null
  const isLate = grant !== undefined && grant.x > width * 0.7
  const says = words.chart(days.length, formatCredits(first.balance), formatCredits(last.balance))
  return (
    <div className="card balance-chart">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={says}>
        {ticks.map(({ value, y }) => (
          <g key={value}>
            <path className="balance-chart-grid" d={`M${left} ${y}H${right}`} />
            <text className="balance-chart-axis" x={left - 6} y={y + 3.5} textAnchor="end">
              {words.short(value)}
            </text>
          </g>
        ))}
        <text className="balance-chart-axis" x={left} y={height - 4}>
          {words.day(first.day)}
        </text>
        <text className="balance-chart-axis" x={right} y={height - 4} textAnchor="end">
          {words.today}
        </text>
        <path className="balance-chart-below" d={area} />
        {thresholdY !== undefined && <path className="balance-chart-threshold" d={`M${left} ${thresholdY}H${right}`} />}
        <path className="balance-chart-line" d={line} />
        {thresholdY !== undefined && (
          // Where the name of the grant is not.
          <text
            className="balance-chart-threshold-name"
            x={isLate ? left + 4 : right - 2}
            y={thresholdY - 5}
            textAnchor={isLate ? undefined : 'end'}
          >
            {words.rechargeBelow(formatCredits(threshold ?? 0))}
          </text>
        )}
        {grant && <GrantMark {...grant} isLate={isLate} />}
      </svg>
    </div>
  )
}

function GrantMark({ x, y, amount, isLate }: { x: number; y: number; amount: number; isLate: boolean }) {
  return (
    <>
      <circle className="balance-chart-grant" cx={x} cy={y} r="4.5" />
      <text
        className="balance-chart-grant-name"
        x={isLate ? x - 10 : x + 10}
        y={Math.max(11, y - 4)}
        textAnchor={isLate ? 'end' : undefined}
      >
        {words.granted(formatCredits(amount))}
      </text>
    </>
  )
}
