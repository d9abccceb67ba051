import type { Report } from '@patchbay/contract/app/reports.ts'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { useMedia } from '../ui/use-media.ts'
import { type BarChart, barsOf, parts } from './bars.ts'
import { reportWords as words } from './words.ts'

type Days = Report['days']

/** A bar for each day. The pointer, or the arrow keys, show the figures of one; the table beside it says them all. */
export function AnsweredChart({ days }: { days: Days }) {
  const [chosen, setChosen] = useState<number>()
  const [at, setAt] = useState(days.length - 1) // where the keys go on
  const width = useMedia('(width < 640px)') ? 330 : 1120 // about as wide as it is shown, so that its text can be read
  const chart = barsOf(
    days.map(({ figures }) => figures),
    width,
  )
  const choose = (n: number) => {
    const inside = Math.min(days.length - 1, Math.max(0, n))
    setAt(inside)
    setChosen(inside)
  }
  const press = (event: KeyboardEvent) => {
    const to = moves[event.key]?.(at, days.length)
    if (to === undefined) return
    event.preventDefault()
    choose(to)
  }
  const point = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const x = ((event.clientX - box.left) / box.width) * width
    if (x >= chart.left) choose(Math.floor((x - chart.left) / chart.step))
  }
  const current = days[Math.min(at, days.length - 1)]
  return (
    <div
      className="bar-chart"
      role="slider"
      tabIndex={0}
      aria-label={words.chartSays(days.length)}
      aria-orientation="horizontal"
      aria-valuemin={1}
      aria-valuemax={days.length}
      aria-valuenow={at + 1}
      aria-valuetext={current && words.dayFigures(current.day, current.figures)}
      onKeyDown={press}
      onFocus={() => setChosen(at)}
      onBlur={() => setChosen(undefined)}
      onPointerMove={point}
      onPointerLeave={() => setChosen(undefined)}
    >
      <Bars chart={chart} days={days} chosen={chosen} />
      {chosen !== undefined && <Tip chart={chart} one={days[chosen]} n={chosen} />}
    </div>
  )
}

const moves: Record<string, (at: number, days: number) => number> = {
  ArrowLeft: (at) => at - 1,
  ArrowDown: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at) => at + 1,
  PageUp: (at) => at + 7,
  PageDown: (at) => at - 7,
  Home: () => 0,
  End: (_, days) => days - 1,
}

function Bars({ chart, days, chosen }: { chart: BarChart; days: Days; chosen: number | undefined }) {
  const { width, height, left, step, bars, ticks, named } = chart
  return (
    <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {ticks.map(({ value, y }) => (
        <g key={value}>
          <path className="bar-chart-grid" d={`M${left} ${y}H${width}`} />
          <text className="bar-chart-axis" x={left - 6} y={y + 3.5} textAnchor="end">
            {words.number(value)}
          </text>
        </g>
      ))}
      {chosen !== undefined && (
        <rect className="bar-chart-chosen" x={left + step * chosen} y={12} width={step} height={186} />
      )}
      {bars.map(({ x, width: barWidth, pieces }, n) => (
        <g key={days[n]?.day}>
          {pieces.map(({ part, y, height }) => (
            <rect key={part} className={`reports-${part}`} x={x} y={y} width={barWidth} height={height} rx="1" />
          ))}
        </g>
      ))}
      {named.map((n) => {
        const isLast = n === days.length - 1
        const bar = bars[n]
        return (
          <text
            key={n}
            className="bar-chart-axis"
            x={isLast ? width : (bar?.x ?? 0)}
            y={height - 4}
            textAnchor={isLast ? 'end' : undefined}
          >
            {isLast ? words.today : words.dayShort(days[n]?.day ?? '')}
          </text>
        )
      })}
    </svg>
  )
}

/** The figures of a day, above its bar; on the side where there is room. */
function Tip({ chart, one, n }: { chart: BarChart; one: Days[number] | undefined; n: number }) {
  if (!one) return null
  const share = (chart.left + chart.step * (n + 0.5)) / chart.width
  const side = share > 0.5 ? { right: `${(1 - share) * 100}%` } : { left: `${share * 100}%` }
  const names = { byBot: words.bot, byPerson: words.person, byApi: words.api, byNobody: words.nobody }
  return (
    <div className="bar-tip" style={side}>
      <b>{words.dayLong(one.day)}</b>
      {parts
        .filter((part) => part !== 'byApi' || one.figures.byApi > 0)
        .map((part) => (
          <span className="row between" key={part}>
            <span className={`reports-key reports-${part}`}>
              <i />
              {names[part]}
            </span>
            <span className="mono">{words.number(one.figures[part])}</span>
          </span>
        ))}
    </div>
  )
}
