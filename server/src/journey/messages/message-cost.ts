import { type ChannelKind, sayBuiltIn } from '@patchbay/contract/channels.ts'
import type { MessageCost } from '../../business/credits/spend.ts'

type PricedChannel = { kind: ChannelKind; name: string; unitsPerMessage: string }

/** What a message over a built-in channel costs whoever makes it; undefined: nothing, as everywhere but in a sub-account. */
export function costOf(
  { kind, name, unitsPerMessage }: PricedChannel,
  message: Pick<MessageCost, 'contactId' | 'seq' | 'actor'>,
): MessageCost | undefined {
  const units = BigInt(unitsPerMessage)
  if (units === 0n) return undefined
  return { ...message, units, description: `Message over ${sayBuiltIn({ kind, name })}` }
}
