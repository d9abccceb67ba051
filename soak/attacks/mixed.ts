import type { Attack, Counts } from './attack.ts'
import { openBodies } from './bodies.ts'
import { readyz, withKey, wrongKeys } from './pipelines.ts'

/** Several attackers at once. */
export const mixed: Attack = async (order, started) => {
  const attacks = { wrongKeys, readyz, withKey, openBodies }
  const prepared: [string, Awaited<ReturnType<Attack>>][] = []
  for (const [name, attack] of Object.entries(attacks)) prepared.push([name, await attack(order, started)])
  return async (ending) => {
    const met = await Promise.all(prepared.map(async ([name, run]) => [name, await run(ending)] as const))
    const named = met.flatMap(([name, counts]) =>
      Object.entries(counts).map(([what, n]) => [`${name} ${what}`, n] as const),
    )
    return Object.fromEntries(named) satisfies Counts
  }
}
