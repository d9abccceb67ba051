import { BoundedMap } from '../../platform/collections.ts'
import { openBatchedLookup } from '../../platform/database/batched-lookup.ts'
import type { Db } from '../../platform/database/db.ts'
import { isId } from '../../platform/ids.ts'
import type { OpenChannel, OpenChannels } from './open-channels.ts'
import { type ChannelHome, findHomes } from './store.ts'

/** How many ids that nobody has seen may wait for a look at the database. More is a flood. */
const mostWaiting = 1_000
const mostKnown = 10_000

/**
 * Finds the channel that a path names, by its id alone: whoever calls is not known yet. Strangers may guess as they like: their
 * guesses are looked up together, one query after another, and nothing of them is kept. Undefined: it is not there, or no longer.
 */
export function openFindById(db: Db, channels: OpenChannels): (id: string) => Promise<OpenChannel | undefined> {
  const known = new BoundedMap<string, ChannelHome>(mostKnown)
  const find = openBatchedLookup<ChannelHome>({
    query: (ids) => findHomes(db, ids),
    note: (id, home) => home && known.set(id, home),
    ...{ mostWaiting, mostAtOnce: 1, mayJoin: true },
  })
  return async (id) => {
    const home = isId('chn', id) ? (known.get(id) ?? (await find(id))) : undefined
    const channel = home && (await channels.find(home))
    return channel?.row.state === 'removed' ? undefined : channel
  }
}
