import type { Db } from '../../../platform/database/db.ts'
import { withLockTimeout } from '../../../platform/database/lock-timeout.ts'
import type { AccountId } from '../../../platform/ids.ts'
import { lockAccount } from '../sums/account-store.ts'
import { addSums } from '../sums/quarter-store.ts'
import { msBetween, openSums, type Sums } from '../sums/sums.ts'
import {
  type ChangedDelivery,
  type DeliveryKey,
  findChanged,
  fromTheFirst,
  readChanged,
  settleChanged,
} from './delivery-store.ts'
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

/** Moves deliveries of an account to what became of them. What another process has is found again by a later look. */
async function closeDeliveries(db: Db, accountId: AccountId, keys: DeliveryKey[]): Promise<void> {
  await withLockTimeout(db, async (tx) => {
    if (!(await lockAccount(tx, accountId))) return
    const changed = await readChanged(tx, accountId, keys)
    if (changed.length === 0) return
    const sums = openSums()
    for (const delivery of changed) moveOne(sums, delivery)
    await settleChanged(tx, accountId, changed)
    await addSums(tx, accountId, sums.all())
  })
}

function moveOne(sums: Sums, { atMs, channel, isFailed, now, sentMs }: ChangedDelivery): void {
  if (now === 'gone') return // what was counted stays
  const sum = sums.of(atMs, channel)
  if (isFailed) sum.failed -= 1
  if (now === 'failed') sum.failed += 1
  if (now === 'sent' && sentMs !== null) {
    sum.sent += 1
    sum.deliveryMs.push(msBetween(atMs, sentMs))
  }
}
