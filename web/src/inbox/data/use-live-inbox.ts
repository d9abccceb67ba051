import { useEffect } from 'react'
import { ApiError, call } from '../../data/api.ts'
import { onHint } from '../../data/live.ts'
import { queryClient } from '../../data/queries.ts'
import { coalesce } from './coalesce.ts'
import { detailQuery, findRow, listQuery, pageSize, patchRow, removeRow, threadQuery } from './queries.ts'
import { forgetWriting, noteWriting } from './writing.ts'

/** Refreshes follow each other after this time at the earliest, however many messages arrive. */
const pauseMs = 250

/** Keeps lists and threads up to date by the hints of the stream, without a reload. */
export function useLiveInbox(): void {
  useEffect(() => {
    const refresh = coalesce<string>((contactIds) => refreshConversations([...contactIds]), pauseMs)
    return onHint((hint) => {
      if (hint.topic === 'writing') noteWriting(hint.contactId)
      else if (hint.topic === 'conversation') {
        forgetWriting(hint.contactId) // most of the time it is what they wrote
        refresh(hint.contactId)
      } else if (hint.topic === 'everything') void refreshEverything()
    })
  }, [])
}

async function refreshConversations(contactIds: readonly string[]): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['GET /api/conversations'] }),
    ...contactIds.map((contactId) => queryClient.invalidateQueries({ queryKey: threadQuery(contactId).queryKey })),
    ...contactIds.map((contactId) => queryClient.invalidateQueries({ queryKey: detailQuery(contactId).queryKey })),
  ])
  // The lists were read down to their first page: a row further down is asked for by itself.
  await Promise.all(contactIds.filter(isFurtherDown).map(refreshRow))
}

async function refreshEverything(): Promise<void> {
  const keys = ['', '/:contactId', '/:contactId/messages'].map((end) => `GET /api/conversations${end}`)
  await Promise.all(keys.map((key) => queryClient.invalidateQueries({ queryKey: [key] })))
}

function isFurtherDown(contactId: string): boolean {
  const first = queryClient.getQueryData(listQuery('all').queryKey)?.rows.slice(0, pageSize)
  return findRow(contactId) !== undefined && !first?.some((row) => row.contactId === contactId)
}

async function refreshRow(contactId: string): Promise<void> {
  try {
    const detail = await call('GET /api/conversations/:contactId', { params: { contactId } })
    patchRow(detail.conversation)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) removeRow(contactId)
  }
}
