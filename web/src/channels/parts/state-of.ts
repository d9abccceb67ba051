import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import type { channelWords } from '../words.ts'

export type ShownState = keyof typeof channelWords.states

type Known = Pick<ChannelInUse, 'state' | 'isHeld' | 'paused' | 'use'>

/** What is said of a channel where several things are true: what somebody must see first. */
export function stateOf({ state, isHeld, paused, use: { slowedUntil, silentSince } }: Known, now: Date): ShownState {
  if (state === 'attention') return 'attention'
  if (isHeld) return 'held'
  if (state === 'connecting') return 'connecting'
  if (paused) return 'paused'
  if (slowedUntil !== null && Date.parse(slowedUntil) > now.getTime()) return 'slowed'
  return silentSince === null ? 'working' : 'silent'
}

/** Those in need first; the order in which they were connected otherwise. */
export function inNeedFirst<Channel extends Known>(channels: readonly Channel[], now: Date): Channel[] {
  const rank = (channel: Channel) => ranks.indexOf(stateOf(channel, now))
  return channels.toSorted((one, other) => rank(other) - rank(one))
}

/** The later, the sooner somebody has to look. What passes by itself moves nothing. */
const ranks: readonly (ShownState | undefined)[] = ['connecting', 'held', 'attention']
