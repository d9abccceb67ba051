import type { Attack, Counts } from './attack.ts'
import { openBodies } from './bodies.ts'
import { readyz, withKey, wrongKeys } from './pipelines.ts'

/** Several attackers at once. */
export const mixed: Attack = async (order, started) => {
  const attacks = { wrongKeys, readyz, withKey, openBodies }
  const prepared: [string, Awaited<ReturnType<Attack>>][] = []
  for (const [name, attack] of Object.entries(attacks)) prepared.push([name, await attack(order, started)])
  return async (stopping) => {
    const observed = await Promise.all(prepared.map(async ([name, run]) => [name, await run(stopping)] as const))
    const named = observed.flatMap(([name, counts]) =>
      Object.entries(counts).map(([what, n]) => [`${name} ${what}`, n] as const),
    )
    return Object.fromEntries(named) satisfies Counts
  }
}
