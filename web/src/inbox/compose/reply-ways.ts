import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import { createStore, useStore } from '../../data/store.ts'
import { kindNames } from '../../ui/channel.tsx'
import type { LoadedThread } from '../data/thread-cache.ts'
import { composeWords as words } from './words.ts'

/** What somebody has chosen for one reply; the next message of the contact, `afterSeq` on, decides again. */
const chosen = createStore<{ contactId: string; channelId: string; afterSeq: number } | null>(null)

export type ReplyWays = {
  ways: readonly ReplyWay[]
  /** By which the reply leaves; undefined: there is none. */
  way: ReplyWay | undefined
  usual: ReplyWay | undefined
  isChosen: boolean
  choose: (channelId: string) => void
  /** The reply was sent: the choice was for it alone. */
  forget: () => void
}

export function useReplyWays(
  contactId: string,
  detail: ConversationDetail | undefined,
  thread: LoadedThread | undefined,
): ReplyWays {
  const choice = useStore(chosen)
  const { ways, usual: usualId } = detail?.replyBy ?? { ways: [], usual: null }
  const afterSeq = thread?.messages.findLast(({ direction }) => direction === 'incoming')?.seq ?? 0
  const isOfThis = choice?.contactId === contactId && choice.afterSeq === afterSeq
  const picked = isOfThis ? ways.find((way) => way.channelId === choice.channelId && way.whyNot === null) : undefined
  const usual = ways.find(({ channelId }) => channelId === usualId)
  return {
    ways,
    usual,
    way: picked ?? usual,
    isChosen: picked !== undefined && picked !== usual,
    choose: (channelId) => chosen.set({ contactId, channelId, afterSeq }),
    forget: () => chosen.set(null),
  }
}

/** Whether there is anything to say or to choose: who is known to the own platform alone is answered there. */
export function hasChoice(ways: readonly ReplyWay[]): boolean {
  return ways.some(({ channel, whyNot }) => channel.kind !== null && whyNot !== 'no_address')
}

/** What it is called: the kind, and the name of the channel. */
export function nameOfWay({ channel }: ReplyWay): string {
  return channel.kind === null ? words.custom : kindNames[channel.kind]
}
