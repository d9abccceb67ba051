import { queryClient } from '../data/queries.ts'
import { detailQuery, threadQuery } from './data/queries.ts'
import type { Actions } from './data/use-actions.ts'
import { whoAnswers } from './who-answers.ts'

/** Takes the conversation over from the bot, or hands it back: what `T` does. */
export function switchSides(contactId: string, { takeOver, handBack }: Actions): void {
  const detail = queryClient.getQueryData(detailQuery(contactId).queryKey)
  if (!detail) return
  const { plugged, canSwitch } = whoAnswers(detail)
  const last = queryClient.getQueryData(threadQuery(contactId).queryKey)?.messages.at(-1)
  if (canSwitch) void (plugged === 'person' ? handBack(last?.direction === 'incoming') : takeOver())
}
