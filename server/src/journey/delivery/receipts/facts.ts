/* What several receipts say together of each part of a message. Pure: their order never matters. */

import type { Effect, Receipt } from '../../channels/kinds/kind.ts'

/** The part that one of these receipts is about, by its place among them. */
export type NamedPart = { i: number; deliveryId: string; n: number }

/** Times are milliseconds since 1970; null: nobody says so. */
export type PartFacts = {
  deliveryId: string
  n: number
  /** By which the provider knows it: of what arrived, else of what failed. */
  providerId: string
  isTaken: boolean
  deliveredAt: number | null
  readAt: number | null
  /** Only one that did not arrive by anybody's word has failed. */
  failed: { at: number; code: string | null; detail: string | null; effect: Effect | null } | null
}

/** What was read has arrived, and the earliest time of each counts. */
export function gatherFacts(receipts: readonly Receipt[], parts: readonly NamedPart[]): PartFacts[] {
  const byPart = Map.groupBy(parts, ({ deliveryId, n }) => `${deliveryId} ${n}`)
  return [...byPart.values()].flatMap((named) => {
    const [first] = named
    const all = named.flatMap(({ i }) => receipts[i] ?? [])
    return first ? [factsOf(first, all)] : []
  })
}

function factsOf({ deliveryId, n }: NamedPart, receipts: Receipt[]): PartFacts {
  const said = (...words: Receipt['says'][]) =>
    receipts.filter(({ says }) => words.includes(says)).toSorted((one, other) => one.at - other.at)
  const arrived = said('delivered', 'read')
  const failed = arrived.length === 0 ? said('failed')[0] : undefined
  const known = arrived[0] ?? failed ?? receipts[0]
  return {
    ...{ deliveryId, n, providerId: known?.providerId ?? '', isTaken: !failed },
    deliveredAt: arrived[0]?.at ?? null,
    readAt: said('read')[0]?.at ?? null,
    failed: failed ? { at: failed.at, code: failed.code, detail: failed.detail, effect: failed.effect } : null,
  }
}
