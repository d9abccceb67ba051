import type { ChannelInUse, CustomChannels } from '@patchbay/contract/app/channels.ts'
import type { channelWords } from '../words.ts'

export type ShownState = keyof typeof channelWords.states

type Known = Pick<ChannelInUse, 'state' | 'isHeld' | 'paused' | 'use'>

/** What is said of a channel where several things are true: what somebody must see first. */
export function stateOf({ state, isHeld, paused, use: { slowedUntil, silentSince } }: Known, now: Date): ShownState {
  if (isHeld) return 'held' // so nobody looks at it, either
  if (state === 'attention') return 'attention'
  if (state === 'connecting') return 'connecting'
  if (paused) return 'paused'
  if (slowedUntil !== null && Date.parse(slowedUntil) > now.getTime()) return 'slowed'
  return silentSince === null ? 'working' : 'silent'
}

/** The same of the custom channels, by their receiver. */
export const customStates: Record<CustomChannels['state'], ShownState> = {
  none: 'connecting',
  working: 'working',
  failing: 'attention',
  gone: 'attention',
  paused: 'paused',
}
