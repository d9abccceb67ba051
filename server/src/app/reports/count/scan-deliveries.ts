import { closeDeliveries } from './close-deliveries.ts'
import { findChanged, fromTheFirst } from './delivery-store.ts'
import { makeAllDays, type Round, taking } from './round.ts'

/** The deliveries of all accounts in one look: some 10 ms of work. */
const deliveriesAtOnce = 2_000

/** Looks at the next ones at least once in a round, whatever else there is to count. */
export async function scanDeliveries(round: Round, counted: 'open' | 'failed'): Promise<void> {
  const { db, place, isOver } = round
  do {
    const next = { after: place[counted], limit: deliveriesAtOnce }
    const { changed, last } = await taking(round, () => findChanged(db, counted, next))
    place[counted] = last ?? fromTheFirst
    for (const [accountId, keys] of Map.groupBy(changed, (key) => key.accountId)) {
      await taking(round, () => closeDeliveries(db, accountId, keys))
      await makeAllDays(round, accountId, { isCounted: false })
    }
  } while (place[counted] !== fromTheFirst && !isOver())
}
