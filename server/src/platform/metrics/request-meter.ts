import { type Distribution, observe, openDistribution } from './counts.ts'

/** Answered requests by route, method and status. The route is as declared, never as sent, so their number is bounded. */
export type RequestMeter = {
  observe: (answered: { route: string; method: string; status: number; ms: number }) => void
  values: () => Iterable<RouteMeter>
}

export type RouteMeter = { route: string; method: string; statuses: Map<number, number>; seconds: Distribution }

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function openRequestMeter(): RequestMeter {
  const byRoute = new Map<string, Map<string, RouteMeter>>()
  const all: RouteMeter[] = []

  function meterOf(route: string, method: string): RouteMeter {
    const byMethod = byRoute.getOrInsertComputed(route, () => new Map())
    const known = byMethod.get(method)
    if (known) return known
    const added = { route, method, statuses: new Map(), seconds: openDistribution(bounds) }
    byMethod.set(method, added)
    all.push(added)
    return added
  }

  return {
    observe: ({ route, method, status, ms }) => {
      const meter = byRoute.get(route)?.get(method) ?? meterOf(route, method)
      meter.statuses.set(status, (meter.statuses.get(status) ?? 0) + 1)
      observe(meter.seconds, ms / 1_000)
    },
    values: () => all,
  }
}
