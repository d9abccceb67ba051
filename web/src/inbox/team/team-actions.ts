import type { Colleague, ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import { call, signedInUser } from '../../data/api.ts'
import { queryClient } from '../../data/queries.ts'
import { showToast } from '../../ui/toast.ts'
import { detailQuery, threadQuery } from '../data/queries.ts'
import { formatTime } from './snooze-times.ts'
import { teamWords as words } from './words.ts'

/** Shows what the server says the conversation is now, and returns whether it worked. */
type Change = (contactId: string, answer: Promise<ConversationDetail>) => Promise<boolean>

/** What a team does with a conversation. Each says what it did, and how to undo it. */
export function teamActionsOf(contactId: string, change: Change) {
  const params = { contactId }
  const reopen = () => change(contactId, call('POST /api/conversations/:contactId/reopen', { params }))
  const undo = { run: () => void reopen() }
  const giveTo = (user: Colleague | null) =>
    change(
      contactId,
      call('PUT /api/conversations/:contactId/assignee', { params, body: { userId: user?.id ?? null } }),
    )
  /** Closes the conversation. `next`: who comes after it. */
  const close = async (next?: string): Promise<boolean> => {
    const seq = await lastSeen(contactId)
    const isDone = await change(contactId, call('POST /api/conversations/:contactId/close', { params, body: { seq } }))
    if (isDone) showToast({ text: next ? words.closedNext(next) : words.closedToast, undo })
    return isDone
  }
  return {
    reopen,
    close,
    assign: async (user: Colleague | null) => {
      const before = queryClient.getQueryData(detailQuery(contactId).queryKey)?.conversation.assignee ?? null
      if (!(await giveTo(user))) return
      showToast({ text: sayAssigned(user), undo: { run: () => void giveTo(before) } })
    },
    snooze: async (until: Date): Promise<boolean> => {
      const body = { seq: await lastSeen(contactId), until: until.toISOString() }
      const isDone = await change(contactId, call('POST /api/conversations/:contactId/snooze', { params, body }))
      if (isDone) showToast({ text: `${words.snoozedUntil(formatTime(until))}.`, undo })
      return isDone
    },
    addTag: (tag: string) =>
      change(contactId, call('POST /api/conversations/:contactId/tags', { params, body: { tag } })),
    removeTag: (tag: string) =>
      change(contactId, call('DELETE /api/conversations/:contactId/tags/:tag', { params: { contactId, tag } })),
  }
}

function sayAssigned(user: Colleague | null): string {
  if (user === null) return words.assignedToNobody
  return words.assigned(user.id === signedInUser.get() ? words.youLower : user.name)
}

/** The last message that is shown: what came after it was not seen. */
async function lastSeen(contactId: string): Promise<number> {
  const { messages } = await queryClient.ensureQueryData(threadQuery(contactId))
  return messages.at(-1)?.seq ?? 0
}
