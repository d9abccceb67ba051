import { openTally } from '../../../platform/collections.ts'
import type { Asking } from '../entry/admit.ts'
import { tooMuch } from '../entry/refused.ts'

/** How many windows of one visitor, one address and one network may listen at once. */
const most = { visitor: 3, address: 64, network: 256 }
const againMs = 60_000

type Place = Pick<Asking, 'place' | 'member' | 'name'>

/** Counts who listens. The oldest window of a visitor makes room; strangers of one address or network have to wait. */
export function openPlaces<Listener extends { leave: () => void }>() {
  const addresses = openTally()
  const networks = openTally()
  const visitors = new Map<string, Set<Listener>>()

  return {
    /** Refuses where there is no room. Returns what gives the place back. */
    take: ({ place: { address, network }, member, name }: Place, listener: Listener): (() => void) => {
      const counted = member
        ? []
        : [
            { tally: addresses, by: address, most: most.address },
            { tally: networks, by: network, most: most.network },
          ]
      // Some have listened since yesterday.
      const isFull = counted.some(({ tally, by, most }) => tally.of(by.name) + tally.of(by.before ?? '') >= most)
      if (isFull) throw tooMuch(againMs)
      const own = visitors.getOrInsertComputed(name, () => new Set())
      const [oldest] = own
      own.add(listener)
      for (const { tally, by } of counted) tally.add(by.name, 1)
      if (own.size > most.visitor) oldest?.leave()
      return () => {
        if (!own.delete(listener)) return
        if (own.size === 0) visitors.delete(name)
        for (const { tally, by } of counted) tally.add(by.name, -1)
      }
    },
  }
}
