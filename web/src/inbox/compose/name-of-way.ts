import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import { hasOwnName, kindNames } from '../../ui/channel.tsx'
import { composeWords as words } from './words.ts'

/** What a way to write to somebody is called: the kind of its channel. */
export function nameOfWay({ channel }: ReplyWay): string {
  return channel.kind === null ? words.custom : kindNames[channel.kind]
}

/** Which one of its kind it is. The own platform has a name where it gave one with its messages. */
export function labelOfWay({ channel }: ReplyWay): string | undefined {
  const isUnnamed = channel.kind === null && channel.label === 'custom'
  return isUnnamed || !hasOwnName(channel) ? undefined : channel.name
}
