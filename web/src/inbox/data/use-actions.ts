import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import { useMemo } from 'react'
import { call } from '../../data/api.ts'
import { queryClient, read } from '../../data/queries.ts'
import { sayError } from '../../ui/error-state.tsx'
import { showToast } from '../../ui/toast.ts'
import { teamActionsOf } from '../team/team-actions.ts'
import { inboxWords as words } from '../words.ts'
import { detailQuery, patchRow, threadQuery } from './queries.ts'

export type Actions = ReturnType<typeof actionsOf>

/** What can be done with a conversation besides writing. What fails says so and changes nothing. */
export function useActions(contactId: string): Actions {
  return useMemo(() => actionsOf(contactId), [contactId])
}

function actionsOf(contactId: string) {
  const params = { contactId }
  const handBack = (answersOld: boolean) =>
    change(contactId, call('POST /api/conversations/:contactId/handback', { params, body: { answersOld } }))
  return {
    takeOver: () => change(contactId, call('POST /api/conversations/:contactId/takeover', { params })),
    /** The bot answers from the next message on; the message that says so offers to let it answer at once. */
    handBack: async (hasOpenQuestion: boolean) => {
      if (!(await handBack(false))) return
      const also = { label: words.alsoAnswer, run: () => void handBack(true) }
      showToast({ text: words.handedBack, ...(hasOpenQuestion && { undo: also }) })
    },
    handBackAndAnswer: () => handBack(true),
    ...teamActionsOf(contactId, change),
    setMayBotWrite: (mayWrite: boolean) =>
      change(contactId, call('PUT /api/conversations/:contactId/bot', { params, body: { mayWrite } })),
    sendAgain: (messageId: string) =>
      tell(call('POST /api/deliveries/:id/resend', { params: { id: messageId } }), contactId),
    /** Of a message over a built-in channel: that it arrived, or that it is fine if it did twice. */
    endDoubt: (messageId: string, act: 'fine' | 'arrived') =>
      tell(
        call(`POST /api/conversations/:contactId/messages/:messageId/${act}`, { params: { contactId, messageId } }),
        contactId,
      ),
    sendOverChannelAgain: (messageId: string) =>
      tell(
        call('POST /api/conversations/:contactId/messages/:messageId/again', { params: { contactId, messageId } }),
        contactId,
      ),
    /** Closes the chat of a website with them. */
    block: (channelId: string, alsoNetwork: boolean) =>
      change(contactId, call('POST /api/conversations/:contactId/block', { params, body: { channelId, alsoNetwork } })),
    unblock: (channelId: string) =>
      change(contactId, call('POST /api/conversations/:contactId/unblock', { params, body: { channelId } })),
    /** They asked to be deleted, and somebody decides that they stay. */
    keep: () => change(contactId, call('POST /api/conversations/:contactId/keep', { params })),
    /** Nobody has verified it: somebody says that it is theirs. */
    takeEmail: (email: string) => tell(call('PATCH /api/contacts/:contactId', { params, body: { email } }), contactId),
    addToList: (listId: string) =>
      tell(call('PUT /api/contacts/:contactId/lists/:listId', { params: { contactId, listId } }), contactId),
    removeFromList: (listId: string) =>
      tell(call('DELETE /api/contacts/:contactId/lists/:listId', { params: { contactId, listId } }), contactId),
  }
}

/** Shows what the server says the conversation is now. Returns whether it worked. */
async function change(contactId: string, answer: Promise<ConversationDetail>): Promise<boolean> {
  try {
    const detail = await answer
    queryClient.setQueryData(detailQuery(contactId).queryKey, detail)
    patchRow(detail.conversation)
    void queryClient.invalidateQueries({ queryKey: threadQuery(contactId).queryKey })
    void queryClient.invalidateQueries({ queryKey: ['GET /api/conversations'] })
    void queryClient.invalidateQueries(read('GET /api/counts'))
    return true
  } catch (error) {
    showToast({ text: `${words.notDone} ${sayError(error).title}` })
    return false
  }
}

async function tell(answer: Promise<unknown>, contactId: string): Promise<boolean> {
  try {
    await answer
    return true
  } catch (error) {
    showToast({ text: `${words.notDone} ${sayError(error).title}` })
    return false
  } finally {
    void queryClient.invalidateQueries({ queryKey: threadQuery(contactId).queryKey })
    void queryClient.invalidateQueries({ queryKey: detailQuery(contactId).queryKey })
    void queryClient.invalidateQueries({ queryKey: ['GET /api/conversations'] })
  }
}
