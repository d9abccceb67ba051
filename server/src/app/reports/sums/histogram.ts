/**
 * How often each value occurs, in the order of the values, as a few bytes: the difference to the value before and the
 * count, each as a number of variable length. Most take two bytes together, so the times of a day are read and added up
 * in microseconds, and a percentile of many days is exact.
 */
export function writeHistogram(values: number[]): Buffer {
  const bytes: number[] = []
  const sorted = Int32Array.from(values).sort()
  let before = 0
  for (let from = 0; from < sorted.length; ) {
    const value = sorted[from] ?? 0
    let to = from
    while (to < sorted.length && sorted[to] === value) to += 1
    writeNumber(bytes, value - before)
    writeNumber(bytes, to - from)
    before = value
    from = to
  }
  return Buffer.from(bytes)
}

/** Writes seven bits a byte, the lowest first; the highest bit says that more follow. */
function writeNumber(bytes: number[], number: number): void {
  let rest = number
  while (rest >= 128) {
    bytes.push((rest % 128) + 128)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
}

/** What `readHistogram` has read last; as long as the longest histogram. */
let [read, times] = [new Int32Array(4_096), new Int32Array(4_096)]

/** Reads a histogram into `read` and `times`, the smallest value first. Returns how many values there are. */
function readHistogram(bytes: Buffer): number {
  if (bytes.length > 2 * read.length) [read, times] = [new Int32Array(bytes.length), new Int32Array(bytes.length)]
  let [value, at, n] = [0, 0, 0]
  while (at < bytes.length) {
    let byte = bytes[at++] ?? 0
    let number = byte & 127
    for (let factor = 128; byte >= 128; factor *= 128) {
      byte = bytes[at++] ?? 0
      number += (byte & 127) * factor
    }
    value += number
    byte = bytes[at++] ?? 0
    number = byte & 127
    for (let factor = 128; byte >= 128; factor *= 128) {
      byte = bytes[at++] ?? 0
      number += (byte & 127) * factor
    }
    read[n] = value
    times[n++] = number
  }
  return n
}

/** Values below this are counted in an array, which takes a tenth of the time of a map; nearly all are. */
const small = 65_536
const counts = new Uint32Array(small)

export type Percentiles = { total: number; values: (number | null)[] }

/** The smallest value, for each of these, that so many percent of all values do not exceed; null without any value. */
export function percentilesOf(histograms: Buffer[], percents: number[]): Percentiles {
  const large = new Map<number, number>()
  let total = 0
  let most = 0
  counts.fill(0)
  for (const bytes of histograms) {
    const length = readHistogram(bytes)
    for (let n = 0; n < length; n += 1) {
      const value = read[n] ?? 0
      const count = times[n] ?? 0
      total += count
      if (value >= small) large.set(value, (large.get(value) ?? 0) + count)
      else {
        counts[value] = (counts[value] ?? 0) + count
        if (value > most) most = value
      }
    }
  }
  const rest = [...large].sort(([a], [b]) => a - b)
  const values = percents.map((percent) => {
    if (total === 0) return null
    let left = Math.ceil((percent * total) / 100)
    for (let value = 0; value <= most; value += 1) {
      left -= counts[value] ?? 0
      if (left <= 0) return value
    }
    for (const [value, count] of rest) {
      left -= count
      if (left <= 0) return value
    }
    return null
  })
  return { total, values }
}

/** The percentiles of one histogram, which is sorted: nothing needs to be gathered. */
export function percentilesIn(bytes: Buffer, percents: number[]): Percentiles {
  const length = readHistogram(bytes)
  let total = 0
  for (let n = 0; n < length; n += 1) total += times[n] ?? 0
  const values = percents.map((percent) => {
    let left = Math.ceil((percent * total) / 100)
    for (let n = 0; n < length; n += 1) {
      left -= times[n] ?? 0
      if (left <= 0) return read[n] ?? null
    }
    return null
  })
  return { total, values }
}
