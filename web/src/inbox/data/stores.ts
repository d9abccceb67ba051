import type { Message } from '@patchbay/contract/app/messages.ts'
import type { Me } from '@patchbay/contract/app/session.ts'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { ApiError, ConnectionError, call, signedInUser } from '../../data/api.ts'
import { connection } from '../../data/live.ts'
import { queryClient, read } from '../../data/queries.ts'
import { type Drafts, openDrafts } from '../compose/drafts.ts'
import { browserStorage, openKeptRecords } from '../compose/kept-records.ts'
import { openSendQueue, type SendQueue } from '../compose/send-queue.ts'
import type { UnsentReply } from '../compose/unsent-items.ts'
import { detailQuery, findRow, patchRow, threadQuery } from './queries.ts'
import { withMessage } from './thread-cache.ts'

type Stores = { drafts: Drafts; noteDrafts: Drafts; queue: SendQueue }

/** What is kept in this browser for whoever is signed in: drafts, and replies on their way. */
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
  const stores = { drafts: openDrafts(kept('draft')), noteDrafts: openDrafts(kept('note-draft')), queue }
  opened.set(owner, stores)
  return stores
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
