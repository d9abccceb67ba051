import { BoundedMap } from '../../../platform/collections.ts'
import type { Log } from '../../../platform/log.ts'
import type { OnChat } from '../visitors/visitor-store.ts'
import type { DayCounts } from './day-store.ts'
import type { Days } from './days.ts'

export type Refusals = {
  /** `network`: as limits name it. */
  note: (on: OnChat, why: string, network: string) => void
  stop: () => void
}

type Counted = { on: OnChat; why: string; times: number; networks: Set<string> }

/** Why somebody was refused of which an owner can do something. */
const columns: Record<string, keyof DayCounts | undefined> = {
  FORBIDDEN: 'refusedPage',
  'slow down': 'refusedPace',
  full: 'refusedFull',
  identity_refused: 'forged',
}

const tellEveryMs = 60_000
const mostTold = 1_000

/** Counts what was refused: a flood makes one line a minute for each channel and reason, and one update a second. */
export function openRefusals(days: Days, log: Log): Refusals {
  const counted = new BoundedMap<string, Counted>(mostTold)
  let timer: NodeJS.Timeout | undefined

  function tell(): void {
    timer = undefined
    for (const { on, why, times, networks } of counted.values()) {
      log.info({ ...on, why, times, networks: networks.size }, 'visitors of a chat were refused')
    }
    counted.clear()
  }

  return {
    note: (on, why, network) => {
      const named = columns[why]
      days.add(on, { refused: 1, ...(named && { [named]: 1 }) })
      const open = () => ({ on, why, times: 0, networks: new Set<string>() })
      const one = counted.getOrInsertComputed(`${on.channelId} ${why}`, open)
      one.times += 1
      if (one.networks.size < mostTold) one.networks.add(network)
      timer ??= setTimeout(tell, tellEveryMs).unref()
    },
    stop: () => clearTimeout(timer),
  }
}
