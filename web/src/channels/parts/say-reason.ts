import { type AttentionReason, type ChannelKind, hasProvider } from '@patchbay/contract/channels.ts'
import { kindNames } from '../../ui/channel.tsx'
import { channelWords as words } from '../words.ts'

/** Why a channel needs somebody; one of our own is nobody's to call. */
export function sayReason(kind: ChannelKind, reason: AttentionReason): string {
  const own = hasProvider(kind) ? undefined : words.ownReasons[reason]
  return own ?? words.reasons[reason](kindNames[kind])
}
