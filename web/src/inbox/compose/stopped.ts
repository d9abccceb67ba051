import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import type { ReplyWay } from '@patchbay/contract/app/messages.ts'

/** A way that somebody has ended by a word, or its provider for them: nobody here can begin it again. */
export type StoppedWay = ReplyWay & { stopped: NonNullable<ReplyWay['stopped']> }

export function isStopped(way: ReplyWay): way is StoppedWay {
  return way.stopped !== null && way.stopped.by !== 'block'
}

/** `others`: by which they can be reached all the same. */
export type Stopped = { way: StoppedWay; others: ReplyWay[] }

/** What is said above the composer: the way that a reply would take is stopped. `chosen`: the one that somebody has chosen for it. */
export function stoppedIn(
  { ways, usual }: ConversationDetail['replyBy'],
  chosen: ReplyWay | undefined,
): Stopped | undefined {
  const others = ways.filter(({ whyNot }) => whyNot === null)
  const taken = chosen ?? ways.find(({ channelId }) => channelId === usual)
  const way = taken && isStopped(taken) ? taken : others.length === 0 ? ways.find(isStopped) : undefined
  return way && { way, others }
}
