import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import { useChosenWay, useStores } from '../data/stores.ts'
import { type LoadedThread, lastIncomingSeq } from '../data/thread-cache.ts'

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

/** The ways to a contact. What somebody has chosen is kept with the draft; the next message of the contact decides again. */
export function useReplyWays(
  contactId: string,
  detail: ConversationDetail | undefined,
  thread: LoadedThread | undefined,
): ReplyWays {
  const { chosenWays } = useStores()
  const choice = readChoice(useChosenWay(contactId))
  const { ways, usual: usualId } = detail?.replyBy ?? { ways: [], usual: null }
  const holds = thread === undefined || lastIncomingSeq(thread) <= choice.afterSeq
  const picked = holds ? ways.find((way) => way.channelId === choice.channelId && way.whyNot === null) : undefined
  const usual = ways.find(({ channelId }) => channelId === usualId)
  const forget = () => chosenWays.set(contactId, '')
  return {
    ways,
    usual,
    way: picked ?? usual,
    isChosen: picked !== undefined && picked !== usual,
    choose: (channelId) => {
      const afterSeq = thread?.messages.at(-1)?.seq ?? 0
      if (channelId === usualId) forget()
      else chosenWays.set(contactId, sayChoice({ channelId, afterSeq }))
    },
    forget,
  }
}

/** `afterSeq`: the last message when it was chosen. */
type Choice = { channelId: string; afterSeq: number }

export function sayChoice({ channelId, afterSeq }: Choice): string {
  return `${afterSeq} ${channelId}`
}

function readChoice(text: string): Choice {
  const [afterSeq = '', channelId = ''] = text.split(' ')
  return { channelId, afterSeq: Number(afterSeq) }
}
