import type { DatabaseAddress } from '../product.ts'

export type AttackOrder = {
  name: string
  port: number
  database: DatabaseAddress
  server: string
  environment: Record<string, string>
  seed: number
}

/** What it did and met: answers by status, connections lost, and whatever else tells that it was an attack. */
export type Counts = Record<string, number>

/** Prepares; then attacks until told to end, again and again, and tells what it met. */
export type Attack = (
  order: AttackOrder,
  started: AsyncDisposableStack,
) => Promise<(ending: AbortSignal) => Promise<Counts>>

export function count(counts: Counts, name: string | number, by = 1): void {
  counts[name] = (counts[name] ?? 0) + by
}
