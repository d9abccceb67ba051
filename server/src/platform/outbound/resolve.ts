import { Resolver } from 'node:dns/promises'

/** Looks up the addresses of a name; must settle soon after the signal aborts. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<string[]>

/**
 * Queries the name servers of the machine (or the given ones) by c-ares: a lookup without an answer waits on a socket
 * of its own and not in the thread pool, where four of them would block password hashing and file access.
 */
export function resolveBy(servers?: readonly string[]): Resolve {
  return async (name, signal) => {
    const resolver = new Resolver({ timeout: 1000, tries: 2 })
    if (servers) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      signal.throwIfAborted()
      return addressesIn(await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]))
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

/** One address family without an answer is no failure: many hosts have one only, and some servers fail on the other. */
function addressesIn(answers: PromiseSettledResult<string[]>[]): string[] {
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length > 0) return addresses
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
  throw failures.find(({ code }) => code !== 'ENODATA') ?? failures[0]
}
