import type { Message } from '@patchbay/contract/app/messages.ts'
import type { Me } from '@patchbay/contract/app/session.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { ApiError, ConnectionError, call, signedInUser, upload } from '../../data/api.ts'
import { connection } from '../../data/live.ts'
import { queryClient, read } from '../../data/queries.ts'
import { sayError } from '../../ui/error-state.tsx'
import { type AttachmentParts, type Attachments, openAttachments } from '../compose/attachments.ts'
import { type Drafts, openDrafts } from '../compose/drafts.ts'
import { whyNotThisFile } from '../compose/file-limits.ts'
import { browserStorage, openKeptRecords } from '../compose/kept-records.ts'
import { openSendQueue, type SendQueue } from '../compose/send-queue.ts'
import type { UnsentReply } from '../compose/unsent-items.ts'
import { detailQuery, findRow, patchRow, threadQuery } from './queries.ts'
import { withMessage } from './thread-cache.ts'

/** `chosenWays`: by which channels the drafts leave. */
type Stores = { drafts: Drafts; noteDrafts: Drafts; chosenWays: Drafts; attachments: Attachments; queue: SendQueue }

/** What is kept in this browser for whoever is signed in: drafts with what belongs to them, and replies on their way. */
export function useStores(): Stores & { me: Me } {
  const { data: me } = useSuspenseQuery(read('GET /api/session'))
  return { me, ...storesOf(me) }
}

export function useDraft(contactId: string): string {
  const { drafts } = useStores()
  return useSyncExternalStore(drafts.subscribe, () => drafts.get(contactId))
}

export function useNoteDraft(contactId: string): string {
  const { noteDrafts } = useStores()
  return useSyncExternalStore(noteDrafts.subscribe, () => noteDrafts.get(contactId))
}

export function useChosenWay(contactId: string): string {
  const { chosenWays } = useStores()
  return useSyncExternalStore(chosenWays.subscribe, () => chosenWays.get(contactId))
}

export function useAttachment(contactId: string) {
  const { attachments } = useStores()
  return useSyncExternalStore(attachments.subscribe, () => attachments.get(contactId))
}

export function useUnsent(): readonly UnsentReply[] {
  const { queue } = useStores()
  return useSyncExternalStore(queue.subscribe, queue.items)
}

const opened = new Map<string, Stores>()

function storesOf({ account, user }: Me): Stores {
  const owner = `${account.id}/${user.id}`
  const known = opened.get(owner)
  if (known) return known
  const kept = (kind: string) => openKeptRecords(`${kind}/${owner}/`, browserStorage(), window)
  const queue = openSendQueue({
    kept: kept('unsent'),
    post: async ({ contactId, body, channelId, file, clientId }) => {
      // Of somebody who was signed in before: it waits for them, and is never sent in another's name.
      if (signedInUser.get() !== user.id) throw new ConnectionError('Its writer is not signed in.')
      const reply = {
        clientId,
        ...(body !== '' && { body }),
        ...(channelId && { channelId }),
        ...(file && { fileId: file.id }),
      }
      return call('POST /api/conversations/:contactId/replies', { params: { contactId }, body: reply })
    },
    onSent: showSent,
    refusalOf,
    newId: () => crypto.randomUUID(),
  })
  connection.subscribe(() => connection.get().state === 'connected' && queue.tryNow())
  signedInUser.subscribe(() => signedInUser.get() === user.id && queue.tryNow())
  const attachments = openAttachments({ kept: kept('attached'), ...filesOfReplies })
  const drafts = openDrafts(kept('draft'))
  const noteDrafts = openDrafts(kept('note-draft'))
  const stores = { drafts, noteDrafts, chosenWays: openDrafts(kept('reply-by')), attachments, queue }
  opened.set(owner, stores)
  return stores
}

const filesOfReplies: Omit<AttachmentParts, 'kept'> = {
  post: (contactId, chosen, how) =>
    upload(
      'POST /api/conversations/:contactId/files',
      { bytes: chosen, ...how },
      {
        params: { contactId },
        query: {
          fileName: chosen.name.slice(-limits.nameCharacters), // its ending says what it is
          ...(chosen.type && { contentType: chosen.type }),
        },
      },
    ),
  drop: (contactId, fileId) =>
    void call('DELETE /api/conversations/:contactId/files/:fileId', { params: { contactId, fileId } }).catch(() => {}),
  whyNot: whyNotThisFile,
  sayError: (error) => sayError(error).title,
}

/** A refusal that says the same next time. Signed out or too fast is not one: the reply waits. */
function refusalOf(error: unknown): string | undefined {
  const isFinal = error instanceof ApiError && error.status < 500 && ![401, 403, 408, 429].includes(error.status)
  return isFinal ? error.message : undefined
}

/** The kept message takes the place of the reply that was being sent. */
function showSent({ contactId }: UnsentReply, message: Message): void {
  queryClient.setQueryData(threadQuery(contactId).queryKey, (loaded) => loaded && withMessage(loaded, message))
  const row = findRow(contactId)
  if (row && row.lastAt <= message.createdAt) {
    const { author, userName, kind } = message
    const last = { author, userName, kind, hasFile: false, isTakenBack: false }
    patchRow({
      ...row,
      lastAt: message.createdAt,
      waitingSince: null,
      waitingReason: null,
      botIsWriting: false,
      last: { ...last, text: message.body.slice(0, 200) },
    })
  }
  void queryClient.invalidateQueries({ queryKey: detailQuery(contactId).queryKey })
}
