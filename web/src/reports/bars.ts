import type { Figures } from '@patchbay/contract/app/reports.ts'

/** Who answered, from the bottom up. */
export const parts = ['byBot', 'byPerson', 'byApi', 'byNobody'] as const
type Part = (typeof parts)[number]

const [height, left, top, bottom] = [220, 34, 12, 198]

type Bar = { x: number; width: number; pieces: { part: Part; y: number; height: number }[] }

export type BarChart = {
  width: number
  height: number
  left: number
  /** The width of a day, with the space around its bar. */
  step: number
  bars: Bar[]
  ticks: { value: number; y: number }[]
  /** Days with a name under them. */
  named: number[]
}

/** A bar for each day, in pieces; a gap of one between them keeps them apart without their colours. */
export function barsOf(days: readonly Figures[], width: number): BarChart {
  const most = Math.max(4, ...days.map(({ messagesIn }) => messagesIn))
  const tick = niceStep(most)
  const end = tick * Math.ceil(most / tick)
  const step = (width - left) / Math.max(1, days.length)
  const barWidth = Math.min(40, Math.max(1, step * 0.62))
  const yOf = (value: number) => bottom - ((bottom - top) * value) / end
  const bars = days.map((figures, n) => {
    let below = 0
    const pieces = parts.flatMap((part) => {
      const value = figures[part]
      const [from, to] = [yOf(below), yOf(below + value)]
      below += value
      return value === 0 ? [] : [{ part, y: round(to), height: round(Math.max(0.5, from - to - 1)) }]
    })
    return { x: round(left + step * n + (step - barWidth) / 2), width: round(barWidth), pieces }
  })
  const ticks = Array.from({ length: Math.round(end / tick) + 1 }, (_, n) => ({ value: tick * n, y: yOf(tick * n) }))
  return { width, height, left, step, bars, ticks, named: namedOf(days.length, width) }
}

/** A name each week, or each day of one week, as long as there is room; today always has one. */
function namedOf(days: number, width: number): number[] {
  const every = [1, 7, 14, 28].find((count) => (width * count) / days >= 56) ?? 28
  const last = days - 1
  const isNearEnd = (n: number) => ((last - n) * width) / days < 64
  return [...Array(days).keys()].filter((n) => n === last || (n % every === 0 && !isNearEnd(n)))
}

/** Three or four whole numbers, at 1, 2, 4 or 5 times a power of ten. */
function niceStep(most: number): number {
  const rough = most / 3
  const power = 10 ** Math.floor(Math.log10(rough))
  return Math.max(1, power * ([1, 2, 4, 5, 10].find((times) => times * power >= rough) ?? 10))
}

const round = (value: number) => Math.round(value * 10) / 10
