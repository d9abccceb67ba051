/** What became of every message sent, by the number that each carries in its text. */
export type Ledger = ReturnType<typeof openLedger>

export function openLedger() {
  const dueAt: number[] = []
  const arrivedAt: number[] = []
  const arrivals: number[] = []
  const ids: (string | undefined)[] = []
  let [missing, strange, lastArrivalAt] = [0, 0, 0]

  return {
    /** A message that fell due then; returns the number it carries. */
    add: (due: number): number => {
      arrivals.push(0)
      ids.push(undefined)
      return dueAt.push(due) - 1
    },
    /** The server has promised to deliver it. Its event may be here before this answer is. */
    acknowledge: (n: number, messageId: string): void => {
      if (arrivals[n] === 0) missing += 1
      else if (ids[n] !== messageId) strange += 1
      ids[n] = messageId
    },
    arrive: (n: number, messageId: string, at: number): void => {
      const before = arrivals[n]
      if (before === undefined) strange += 1
      if (before === undefined) return
      const promised = ids[n]
      if (promised !== undefined && promised !== messageId) strange += 1
      if (before === 0 && promised !== undefined) missing -= 1
      ids[n] = messageId
      arrivals[n] = before + 1
      if (before === 0) arrivedAt[n] = at
      lastArrivalAt = at
    },
    /** How many were promised and are not here yet. */
    missing: () => missing,
    lastArrivalAt: () => lastArrivalAt,
    /** The number that the next message gets. */
    size: () => dueAt.length,
    /** How long each took to arrive, from the given number on. */
    timesFrom: (first: number): Float64Array => {
      const times = dueAt.slice(first).map((due, index) => (arrivedAt[first + index] ?? Number.NaN) - due)
      return Float64Array.from(times.filter((time) => !Number.isNaN(time)))
    },
    /** Of all that were promised or arrived, how many did once. `strange`: events of unknown messages, or of other ids. */
    tally: (): Tally => ({
      sent: ids.filter((id) => id !== undefined).length,
      arrivedOnce: arrivals.filter((times) => times === 1).length,
      strange,
    }),
  }
}

export type Tally = { sent: number; arrivedOnce: number; strange: number }
