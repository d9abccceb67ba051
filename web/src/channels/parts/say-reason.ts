import { type AttentionReason, type ChannelKind, hasProvider, isCalled } from '@patchbay/contract/channels.ts'
import { providerNames } from '../../ui/channel.tsx'
import { channelWords as words } from '../words.ts'

/** Why a channel needs somebody; one of our own is nobody's to call. */
export function sayReason(kind: ChannelKind, reason: AttentionReason): string {
  const own = (hasProvider(kind) ? (isCalled(kind) ? words.calledReasons : undefined) : words.ownReasons)?.[reason]
  return own ?? words.reasons[reason](providerNames[kind])
}
