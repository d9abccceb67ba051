import { findShownAccount } from '../../business/sessions/user-store.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'

/** Requests a minute; 0: no limit. `usual` is the server's, which an account without one of its own has. */
export type RateBounds = { most: number; usual: number }

/** An agency gives at most what it has itself, so that the operator's limit holds for all of its sub-accounts. */
export async function rateBounds(db: Db, agencyId: AccountId, usual: number): Promise<RateBounds> {
  const { rateLimitPerMinute } = await findShownAccount(db, agencyId)
  return { most: rateLimitPerMinute ?? usual, usual }
}

export function refuseOverRate(wanted: number | null, bounds: RateBounds): void {
  if (isWithin(wanted, bounds)) return
  const { most } = bounds
  throw new Refusal(
    'INVALID_REQUEST',
    `rateLimitPerMinute may be from 1 to ${most}: an agency gives at most the rate limit that it has itself.`,
  )
}

/** What a new sub-account begins with: the usual limit (null), or the agency's own where that is less. */
export function firstRate(bounds: RateBounds): number | null {
  return isWithin(null, bounds) ? null : bounds.most
}

function isWithin(wanted: number | null, { most, usual }: RateBounds): boolean {
  const given = wanted ?? usual
  return most === 0 || (given !== 0 && given <= most)
}
