import { BoundedMap } from '../../../platform/collections.ts'
import { parseRanges } from '../../../platform/config/ip-ranges.ts'
import type { OnChat } from '../visitors/visitor-store.ts'
import { openCounter } from './counter.ts'

/** `forged`: many tokens that no secret of the shop fits. `hidden`: nearly all visitors come from one address that nobody on the web has. */
export type Warning = 'forged' | 'hidden'

export type Warnings = {
  forged: (on: OnChat) => void
  /** `client`: as limits take it, before it gets another name. */
  met: (on: OnChat, client: string) => void
}

const forgedRule = [{ most: 4, withinMs: 60_000 }]
const mostChannels = 10_000

/** Of so many requests, so many from one address are no chance. */
const looked = { requests: 200, ofOne: 181 }

/** Tells what the owner of a chat has to know, of what one request after another shows. */
export function openWarnings(tell: (on: OnChat, warning: Warning) => void, now: () => number = Date.now): Warnings {
  const forged = openCounter(mostChannels)
  const clients = new BoundedMap<string, { requests: number; of: Map<string, number> }>(mostChannels)
  return {
    forged: (on) => {
      const claim = { key: on.channelId, rules: forgedRule }
      if (forged.waitMs(claim, now()) > 0) tell(on, 'forged')
      else forged.add(claim, now())
    },
    met: (on, client) => {
      const seen = clients.getOrInsertComputed(on.channelId, () => ({ requests: 0, of: new Map() }))
      seen.requests += 1
      if (isInside(client)) seen.of.set(client, (seen.of.get(client) ?? 0) + 1)
      if (seen.requests < looked.requests) return
      if (Math.max(0, ...seen.of.values()) >= looked.ofOne) tell(on, 'hidden')
      clients.delete(on.channelId)
    },
  }
}

/** Private, of one link, of one provider's inside: nobody on the web has such an address. */
const inside = parseRanges('10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,169.254.0.0/16,100.64.0.0/10,fc00::/7,fe80::/10')

/** Whether only a machine of the same network has this address, as a proxy beside us does. */
function isInside(client: string): boolean {
  return client === 'loopback' || inside?.includes(client.replace('::/64', '::')) === true
}
