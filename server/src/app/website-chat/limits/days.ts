import { BoundedMap } from '../../../platform/collections.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { Log } from '../../../platform/log.ts'
import type { OnChat } from '../visitors/visitor-store.ts'
import { addToDay, type DayCounts, noCounts } from './day-store.ts'

export type Days = {
  add: (on: OnChat, more: Partial<DayCounts>) => void
  /** What the channel has had today, as far as this process knows: what others have counted within a second is missing. */
  soFar: (on: OnChat) => Promise<DayCounts>
  /** Writes what was counted. */
  flush: () => Promise<void>
}

type Known = { on: OnChat; day: number; written: DayCounts | undefined; pending: DayCounts }

const flushEveryMs = 1_000
const mostChannels = 10_000
const dayMs = 86_400_000

/** Counts by memory and a row for each channel and day: one update a second and process, however many write. */
export function openDays(db: Db, log: Log, now: () => number = Date.now): Days {
  const channels = new BoundedMap<string, Known>(mostChannels)
  let timer: NodeJS.Timeout | undefined

  function of(on: OnChat): Known {
    const day = Math.floor(now() / dayMs)
    const known = channels.getOrInsertComputed(on.channelId, () => ({ on, day, written: undefined, pending: noCounts }))
    if (known.day !== day) Object.assign(known, { day, written: undefined })
    return known
  }

  async function write(known: Known): Promise<void> {
    const { pending } = known
    known.pending = noCounts
    try {
      known.written = await addToDay(db, known.on, pending)
    } catch (error) {
      known.pending = sum(known.pending, pending)
      throw error
    }
  }

  const waiting = () => [...channels.values()].filter(({ pending }) => pending !== noCounts)

  async function flush(): Promise<void> {
    clearTimeout(timer)
    for (const known of waiting()) {
      const failed = (error: unknown) =>
        log.warn({ reason: String(error) }, 'what a chat has had today is not written yet; trying again')
      await write(known).catch(failed)
    }
    timer = undefined
    if (waiting().length > 0) wake()
  }

  function wake(): void {
    timer ??= setTimeout(() => void flush(), flushEveryMs).unref()
  }

  return {
    add: (on, more) => {
      const known = of(on)
      known.pending = sum(known.pending, { ...noCounts, ...more })
      wake()
    },
    soFar: async (on) => {
      const known = of(on)
      if (!known.written) await write(known)
      return sum(known.written ?? noCounts, known.pending)
    },
    flush,
  }
}

const names = Object.keys(noCounts) as (keyof DayCounts)[]

function sum(one: DayCounts, other: DayCounts): DayCounts {
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as DayCounts
}
