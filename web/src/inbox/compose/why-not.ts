import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import { isStopped } from './stopped.ts'
import { composeWords as words } from './words.ts'

/** Why nothing can be sent by this way; undefined: it can. */
export function sayWhyNot(way: ReplyWay): string | undefined {
  if (way.whyNot === null) return undefined
  if (isStopped(way)) return words.stoppedBy[way.stopped.by === 'word' ? 'word' : 'provider']
  if (way.whyNot === 'number_taken') return words.numberTaken(way.takenBy?.name ?? null)
  return words.whyNot[way.whyNot]
}
