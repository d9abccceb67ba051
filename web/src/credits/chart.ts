import type { CreditDay } from '@patchbay/contract/app/agency.ts'

const [height, left, top, bottom] = [150, 44, 16, 128]

export type Chart = {
  height: number
  left: number
  right: number
  line: string
  area: string
  ticks: { value: number; y: number }[]
  thresholdY: number | undefined
  /** The largest grant of the days that are shown, without what was taken back on the same day. */
  grant: { n: number; x: number; y: number; amount: number } | undefined
}

/** A step line: a balance stays as it is until it changes. */
export function chartOf(days: readonly CreditDay[], threshold: number | undefined, width: number): Chart {
  const right = width - 10
  const most = Math.max(1, threshold ?? 0, ...days.map(({ balance }) => balance))
  const step = niceStep(most)
  const end = step * Math.ceil(most / step)
  const xOf = (n: number) => left + ((right - left) * n) / Math.max(1, days.length - 1)
  const yOf = (value: number) => bottom - ((bottom - top) * value) / end
  const steps = days.map(
    ({ balance }, n) => `${n === 0 ? 'M' : 'H'}${round(xOf(n))}${n === 0 ? ' ' : 'V'}${round(yOf(balance))}`,
  )
  const line = steps.join('')
  const grants = days.map(({ granted, reversed }) => granted + Math.min(0, reversed))
  const granted = Math.max(0, ...grants)
  const largest = grants.indexOf(granted)
  const balance = days[largest]?.balance ?? 0
  return {
    height,
    left,
    right,
    line,
    area: `${line}V${bottom}H${left}Z`,
    ticks: Array.from({ length: Math.round(end / step) + 1 }, (_, n) => ({ value: step * n, y: yOf(step * n) })),
    thresholdY: threshold === undefined ? undefined : yOf(threshold),
    grant: granted > 0 ? { n: largest, x: xOf(largest), y: yOf(balance), amount: granted } : undefined,
  }
}

/** Three or four lines, at 1, 2 or 5 times a power of ten. */
function niceStep(most: number): number {
  const rough = most / 3
  const power = 10 ** Math.floor(Math.log10(rough))
  return power * ([1, 2, 5, 10].find((times) => times * power >= rough) ?? 10)
}

const round = (value: number) => Math.round(value * 10) / 10

/** The small chart in a row of the table. */
export function sparkOf(values: readonly number[], { width, height }: { width: number; height: number }): string {
  const most = Math.max(1, ...values)
  return values
    .map((value, n) => {
      const [x, y] = [
        round((width * n) / Math.max(1, values.length - 1)),
        round(height - 1 - ((height - 2) * value) / most),
      ]
      return n === 0 ? `M${x} ${y}` : `H${x}V${y}`
    })
    .join('')
}
