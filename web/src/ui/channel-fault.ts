/** What it means that a message over a built-in channel has failed. */
export type ChannelFault =
  /** It waits for its channel, which is paused or needs somebody. */
  | 'held'
  /** It may have arrived. */
  | 'in doubt'
  /** It was held here: the provider was not asked. */
  | 'not sent'
  | 'failed'

/** Why a channel was not asked at all. */
const heldHere = new Set([
  ...['channel_removed', 'no_address', 'stopped', 'opted_out', 'expired', 'too_long', 'file_refused', 'file_removed'],
])

export function channelFaultOf(category: string): ChannelFault {
  if (category === 'endpoint_paused') return 'held'
  if (category === 'in_doubt') return 'in doubt'
  return heldHere.has(category) ? 'not sent' : 'failed'
}
