import { factsOf } from '../chart.ts'
import type { Result } from '../result.ts'
import {
  barLeft,
  colours,
  dot,
  heading,
  known,
  label,
  legend,
  logAxis,
  type Panel,
  picture,
  range,
  rowHeight,
  text,
  whole,
} from '../svg.ts'
import { journeyCpu } from './cpu.ts'
import type { Journey } from './measure-journey.ts'
import { partNames, partWords } from './parts.ts'

/** The journey of a message as one picture: when it gets where, and what each part costs. Dots, since the axes are logarithmic. */
export function journeyChart(result: Result, journey: Journey): string {
  const times = timePanel(journey, 70)
  const costs = costPanel(result, times.bottom + 70)
  const { perSecond, quietMs } = journey
  const facts = `${perSecond} messages a second; the bot waits ${quietMs} ms for a second message · ${factsOf(result)}`
  return picture('The journey of a message', [times, costs], facts)
}

function panelOf(top: number) {
  return { top: top + 12, bottom: top + 18 + partNames.length * rowHeight }
}

function timePanel(journey: Journey, top: number): Panel {
  const panel = panelOf(top)
  const { at, parts } = logAxis(panel, 1, 5)
  parts.push(text(30, top, 'Milliseconds since it was due: p50, and the range to p99', heading))
  for (const [row, name] of partNames.entries()) {
    const y = top + 18 + row * rowHeight
    const { p50, p99 } = journey[name]
    parts.push(
      label(y, partWords[name]),
      range(y, at(p50), at(p99)),
      dot(at(p50), y, colours.product),
      text(at(p99) + 12, y + 15, `${whole(p50)} · ${whole(p99)}`),
    )
  }
  return { parts, bottom: panel.bottom + 20 }
}

function costPanel(result: Result, top: number): Panel {
  const panel = panelOf(top)
  const { at, parts } = logAxis(panel, 1, 5)
  const cpu = journeyCpu(result)
  parts.push(text(30, top, 'CPU time of each part, in microseconds, measured by itself at full speed', heading))
  parts.push(...legend(top))
  for (const [row, name] of partNames.entries()) {
    const y = top + 18 + row * rowHeight
    const part = cpu[name]
    parts.push(label(y, partWords[name]))
    if (!part) {
      const words = name === 'counted' ? 'in that of the search: cannot be told apart' : 'not measured'
      parts.push(text(barLeft + 10, y + 15, words, { fill: colours.faint }))
      continue
    }
    const [node, postgres] = [known(part.node), known(part.postgres)]
    parts.push(
      dot(at(node), y, colours.node),
      dot(at(postgres), y, colours.postgres),
      text(Math.max(at(node), at(postgres)) + 12, y + 15, `${whole(node)} + ${whole(postgres)}`),
    )
  }
  return { parts, bottom: panel.bottom + 20 }
}
