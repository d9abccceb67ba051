import type { Channel } from '@patchbay/contract/app/channels.ts'
import { channelWords as words } from '../words.ts'

/** How soon it is looked at again by itself. Whether another program still reads is found out by reading, which is done more often. */
export function againOf({ state, attention, checks }: Pick<Channel, 'state' | 'attention' | 'checks'>): string {
  if (attention?.reason === 'other reader' && checks.every(({ reportsTo }) => reportsTo === undefined)) {
    return words.again['other program']
  }
  return state === 'working' ? words.again.well : words.again.otherwise
}
