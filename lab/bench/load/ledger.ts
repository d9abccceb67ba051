/** What became of every message sent, by the number that each carries in its text. */
export type Ledger = ReturnType<typeof openLedger>

/**
 * Keeps numbers of every message, and ids only until promise and event were compared: whoever sends shares the machine
 * with the server, and collecting what it holds on to would be measured as the server's delay.
 */
export function openLedger() {
  const dueAt: number[] = []
  const arrivedAt: number[] = []
  const arrivals: number[] = []
  const isPromised: boolean[] = []
  const awaited = new Map<number, string>()
  const early = new Map<number, string>()
  let [strange, lastArrivalAt] = [0, 0]

  return {
    /** A message that fell due then; returns the number it carries. */
    add: (due: number): number => {
      arrivals.push(0)
      arrivedAt.push(Number.NaN)
      isPromised.push(false)
      return dueAt.push(due) - 1
    },
    /** The server has promised to deliver it. Its event may be here before this answer is. */
    acknowledge: (n: number, messageId: string): void => {
      isPromised[n] = true
      if (arrivals[n] === 0) awaited.set(n, messageId)
      else if (early.get(n) !== messageId) strange += 1
      early.delete(n)
    },
    arrive: (n: number, messageId: string, at: number): void => {
      const before = arrivals[n]
      if (before === undefined) strange += 1
      if (before === undefined) return
      arrivals[n] = before + 1
      lastArrivalAt = at
      if (before > 0) return // told by the tally
      arrivedAt[n] = at
      if (!isPromised[n]) early.set(n, messageId)
      else if (awaited.get(n) !== messageId) strange += 1
      awaited.delete(n)
    },
    /** How many were promised and are not here yet. */
    missing: () => awaited.size,
    lastArrivalAt: () => lastArrivalAt,
    /** The number that the next message gets. */
    size: () => dueAt.length,
    /** How long each took to arrive, from the given number on, of those that fell due in this time. */
    timesFrom: (first: number, { since, until } = { since: 0, until: Number.POSITIVE_INFINITY }): Float64Array => {
      const times = Float64Array.from(dueAt.slice(first), (due, index) =>
        due >= since && due < until ? (arrivedAt[first + index] ?? Number.NaN) - due : Number.NaN,
      )
      return times.filter((time) => !Number.isNaN(time))
    },
    /** Of all that were promised or arrived, how many did once. `strange`: events of unknown messages, or of other ids. */
    tally: (): Tally => ({
      sent: arrivals.filter((times, n) => times > 0 || isPromised[n]).length,
      arrivedOnce: arrivals.filter((times) => times === 1).length,
      strange,
    }),
  }
}

export type Tally = { sent: number; arrivedOnce: number; strange: number }
