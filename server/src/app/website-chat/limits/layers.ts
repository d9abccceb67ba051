import type { ChatCaps } from '@patchbay/contract/chat/settings.ts'
import { BoundedMap } from '../../../platform/collections.ts'
import { networkOf } from '../../../platform/https-server/client-address.ts'
import type { ChannelId } from '../../../platform/ids.ts'
import { type Counter, openCounter, type Rule } from './counter.ts'
import { openPlaceNames, type PlaceName } from './place-names.ts'

const [second, minute, day] = [1_000, 60_000, 86_400_000]
const tenMinutes = 10 * minute
const MB = 1_000_000

/** What costs something, and how much of it strangers may have: each by themselves, from one address, from one network. */
const rules = {
  visitor: {
    message: [
      { most: 20, withinMs: minute },
      { most: 300, withinMs: day },
    ],
    file: [{ most: 5, withinMs: tenMinutes }],
    fileBytes: [{ most: 50 * MB, withinMs: day }],
    read: [{ most: 60, withinMs: minute }],
    /** The same message again, too, which is none more. */
    post: [{ most: 60, withinMs: minute }],
    email: [{ most: 3, withinMs: day }],
    forget: [{ most: 3, withinMs: day }],
    typing: [{ most: 1, withinMs: 4 * second }],
  },
  address: {
    contact: [
      { most: 20, withinMs: tenMinutes },
      { most: 100, withinMs: day },
    ],
    message: [{ most: 60, withinMs: minute }],
    file: [{ most: 20, withinMs: tenMinutes }],
    read: [{ most: 600, withinMs: minute }],
    answer: [{ most: 100, withinMs: day }],
  },
  network: {
    contact: [
      { most: 60, withinMs: tenMinutes },
      { most: 300, withinMs: day },
    ],
    message: [{ most: 300, withinMs: minute }],
    answer: [{ most: 300, withinMs: day }],
  },
} as const satisfies Record<string, Record<string, readonly Rule[]>>

export type AddressAction = keyof typeof rules.address
type VisitorAction = keyof typeof rules.visitor

/** Of one kind of claimant, in one process. */
const mostKeys = 50_000

/** Where a request comes from, as it is counted. */
export type Place = { address: PlaceName; network: PlaceName }

export type Layers = {
  placeOf: (client: string) => Place
  /** How long the place has to wait; 0: not at all. `isCounted`: then it has taken one. */
  ofPlace: (place: Place, action: AddressAction, options: { isCounted: boolean }) => number
  ofVisitor: (
    visitor: string,
    action: VisitorAction,
    options: { isCounted: boolean; amount?: number | undefined },
  ) => number
  ofChannel: (channelId: ChannelId, action: 'contact' | 'message', caps: ChatCaps, isCounted: boolean) => number
  /** Whether nobody new may come from there for a day. */
  isBlocked: (place: Place) => boolean
  block: (place: Place) => void
  readonly sizes: number[]
}

/** `now`: milliseconds, by whichever clock. */
export function openLayers(now: () => number = Date.now): Layers {
  const counters = { visitor: openCounter(mostKeys), address: openCounter(mostKeys), network: openCounter(mostKeys) }
  const channels = openCounter(mostKeys)
  const blocked = new BoundedMap<string, number>(mostKeys)
  const nameOf = openPlaceNames(now)

  function ask(counter: Counter, claims: Parameters<Counter['add']>[0][], isCounted: boolean): number {
    const at = now()
    const waitMs = Math.max(0, ...claims.map((claim) => counter.waitMs(claim, at)))
    if (waitMs === 0 && isCounted) for (const claim of claims) counter.add(claim, at)
    return waitMs
  }

  return {
    placeOf: (client) => ({ address: nameOf(client), network: nameOf(networkOf(client)) }),
    ofPlace: ({ address, network }, action, { isCounted }) => {
      const at = now()
      const ofNetwork: Partial<Record<AddressAction, readonly Rule[]>> = rules.network
      const claims = [
        [counters.address, { ...keysOf(action, address), rules: rules.address[action] }],
        [counters.network, { ...keysOf(action, network), rules: ofNetwork[action] ?? [] }],
      ] as const
      const waitMs = Math.max(...claims.map(([counter, claim]) => counter.waitMs(claim, at)))
      if (waitMs > 0 || !isCounted) return waitMs
      for (const [counter, claim] of claims) if (claim.rules.length > 0) counter.add(claim, at)
      return 0
    },
    ofVisitor: (visitor, action, { isCounted, amount }) =>
      ask(counters.visitor, [{ key: `${action} ${visitor}`, rules: rules.visitor[action], amount }], isCounted),
    ofChannel: (channelId, action, caps, isCounted) => {
      const most = action === 'contact' ? caps.contactsAMinute : caps.messagesAMinute
      return ask(channels, [{ key: `${action} ${channelId}`, rules: [{ most, withinMs: minute }] }], isCounted)
    },
    isBlocked: ({ address: { name, before } }) =>
      [name, before].some((one) => one !== undefined && (blocked.get(one) ?? 0) > now()),
    block: ({ address: { name } }) => {
      for (let oldest = blocked.oldest(); oldest; oldest = blocked.oldest()) {
        if ((blocked.get(oldest.key) ?? 0) > now()) break
        blocked.delete(oldest.key)
      }
      blocked.set(name, now() + day)
    },
    get sizes() {
      return [...Object.values(counters), channels].map(({ size }) => size).concat(blocked.size)
    },
  }
}

const keysOf = (action: AddressAction, { name, before }: PlaceName) => ({
  key: `${action} ${name}`,
  before: before === undefined ? undefined : `${action} ${before}`,
})
