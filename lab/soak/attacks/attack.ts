import type { DatabaseAddress } from '../product.ts'

export type AttackOrder = {
  name: string
  port: number
  database: DatabaseAddress
  server: string
  environment: Record<string, string>
  seed: number
}

/** What it did and observed: responses by status, lost connections, and proof that the attack took place. */
export type Counts = Record<string, number>

/** Prepares; the returned function attacks repeatedly until it is stopped, and returns the counts. */
export type Attack = (
  order: AttackOrder,
  started: AsyncDisposableStack,
) => Promise<(stopping: AbortSignal) => Promise<Counts>>

export function count(counts: Counts, name: string | number, by = 1): void {
  counts[name] = (counts[name] ?? 0) + by
}
