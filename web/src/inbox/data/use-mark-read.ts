import { useEffect, useSyncExternalStore } from 'react'
import { call } from '../../data/api.ts'
import { queryClient, read } from '../../data/queries.ts'
import { detailQuery, findRow, patchRow } from './queries.ts'

/** Passing through the list with J does not count as having read. */
const lookedAtMs = 400

/** Marks the thread as read while its end is in view of somebody: the page is visible and has the focus. */
export function useMarkRead(
  contactId: string,
  seq: number,
  { isAtEnd, readSeq }: { isAtEnd: boolean; readSeq: number },
) {
  const isAttended = useSyncExternalStore(listen, () => document.visibilityState === 'visible' && document.hasFocus())
  const isDue = isAtEnd && isAttended && seq > readSeq
  useEffect(() => {
    if (!isDue) return
    const timer = setTimeout(() => void markRead(contactId, seq), lookedAtMs)
    return () => clearTimeout(timer)
  }, [contactId, seq, isDue])
}

async function markRead(contactId: string, seq: number): Promise<void> {
  const row = findRow(contactId)
  if (row) patchRow({ ...row, unread: 0 })
  try {
    await call('PUT /api/conversations/:contactId/read', { params: { contactId }, body: { seq } })
    queryClient.setQueryData(detailQuery(contactId).queryKey, (detail) => detail && { ...detail, readSeq: seq })
    await queryClient.invalidateQueries(read('GET /api/counts'))
    // A list that was being read meanwhile may have brought the old count back.
    if (findRow(contactId)?.unread) await queryClient.invalidateQueries({ queryKey: ['GET /api/conversations'] })
  } catch {
    // Not reached: the next message, or the next visit, marks it.
  }
}

const signs = ['focus', 'blur'] as const

function listen(listener: () => void): () => void {
  for (const sign of signs) window.addEventListener(sign, listener)
  document.addEventListener('visibilitychange', listener)
  return () => {
    for (const sign of signs) window.removeEventListener(sign, listener)
    document.removeEventListener('visibilitychange', listener)
  }
}
