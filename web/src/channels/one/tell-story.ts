import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import { hasProvider, strangerReasons } from '@patchbay/contract/channels.ts'
import { providerNames } from '../../ui/channel.tsx'
import { clockTime, secondTime } from '../../ui/format-time.ts'
import { sayReason } from '../parts/say-reason.ts'
import type { ShownState } from '../parts/state-of.ts'
import { whatComes } from '../parts/what-comes.ts'
import { channelWords } from '../words.ts'
import { oneWords } from './words.ts'

/** What is wrong, since when; whether anything is lost, and what happens next. */
export function tellStory(channel: ChannelInUse, state: ShownState, now: Date): { title: string; says: string } {
  const { attention, paused, use } = channel
  const { story, keepOrder } = oneWords
  const kind = providerNames[channel.kind]
  const isOwn = !hasProvider(channel.kind)
  const at = (time: string) => clockTime(new Date(time), now)
  switch (state) {
    case 'working':
      return { title: story.working, says: isOwn ? story.ownWorkingSays : story.workingSays(kind) }
    case 'attention': {
      if (!attention) return { title: channelWords.states.attention, says: '' }
      const says = [
        ...(isOwn
          ? [strangerReasons.some((one) => one === attention.reason) ? story.strangersSay : story.connectingSays]
          : [whatComes(channel), keepOrder(use.waiting)]),
        paused ? story.alsoPaused(paused.by, at(paused.at)) : '',
      ]
      return { title: story.since(sayReason(channel.kind, attention.reason), at(attention.since)), says: join(says) }
    }
    case 'held':
      return { title: story.held, says: story.heldSays }
    case 'connecting':
      return { title: story.connecting, says: story.connectingSays }
    case 'paused': {
      const since = at(paused?.at ?? '')
      const title = paused?.by ? story.pausedBy(paused.by, since) : story.pausedAt(since)
      return { title, says: isOwn ? story.ownPausedSays : join([channelWords.stillComes, keepOrder(use.waiting)]) }
    }
    case 'slowed':
      return { title: story.slowed(kind, secondTime(new Date(use.slowedUntil ?? ''))), says: story.slowedSays }
    case 'silent':
      return { title: story.silent(kind, at(use.silentSince ?? '')), says: story.silentSays }
  }
}

function join(sentences: string[]): string {
  return sentences.filter((one) => one !== '').join(' ')
}
