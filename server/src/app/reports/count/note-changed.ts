import type { AccountId, ContactId } from '../../../platform/ids.ts'
import type { Place, Round } from './round.ts'

/** An answer is counted when it is older than its margin, so an account that was noted is looked at for longer. */
const lookedAtForMs = 30_000

/** With more conversations of an account it is looked for those that are due. */
const mostNamed = 20_000

/**
 * Returns the accounts that may have something to count: those noted lately, and those that a round has found and not
 * finished. Undefined: look through all of them.
 */
export function noteLately({ noted, place }: Round): AccountId[] | undefined {
  const known = noted?.take()
  if (!known) return undefined
  keepNoted(place, known.keys())
  for (const [accountId, contactIds] of known) noteChanged(place, accountId, contactIds)
  const before = performance.now() - lookedAtForMs
  for (const [accountId, at] of place.noted) if (at < before) place.noted.delete(accountId)
  return [...new Set([...place.noted.keys(), ...place.waiting.keys(), ...place.changed.keys()])]
}

/** When all accounts were looked through: these have something to count. */
export function noteFound(place: Place, due: AccountId[]): void {
  keepNoted(place, due)
  place.changed = new Map(due.map((accountId) => [accountId, undefined]))
}

function keepNoted({ noted }: Place, accountIds: Iterable<AccountId>): void {
  const now = performance.now()
  for (const accountId of accountIds) noted.set(accountId, now)
}

function noteChanged({ changed }: Place, accountId: AccountId, contactIds: Set<ContactId> | undefined): void {
  const before = changed.has(accountId) ? changed.get(accountId) : new Set<ContactId>()
  const all = before && contactIds && before.union(contactIds)
  changed.set(accountId, all && all.size <= mostNamed ? all : undefined)
}
