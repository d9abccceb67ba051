import type { Channel } from '@patchbay/contract/app/channels.ts'
import { hasProvider } from '@patchbay/contract/channels.ts'
import { providerNames } from '../../ui/channel.tsx'
import { channelWords as words } from '../words.ts'

/** Of a channel that needs somebody: whether what people write still comes in, or who has it meanwhile. */
export function whatComes({
  kind,
  attention,
  receivingBy,
}: Pick<Channel, 'kind' | 'attention' | 'receivingBy'>): string {
  if (!hasProvider(kind)) return ''
  if (attention?.reason === 'other reader') return words.otherGets
  const isCalled = attention?.reason === 'credentials' && receivingBy === 'hook'
  return isCalled ? words.stillComes : words.waitsThere(providerNames[kind])
}
