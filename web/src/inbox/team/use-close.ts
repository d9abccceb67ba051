import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { queryClient } from '../../data/queries.ts'
import { detailQuery, findRow } from '../data/queries.ts'
import { useActions } from '../data/use-actions.ts'
import { nextWaiting, shownIds } from '../list/shown-ids.ts'
import { shownName } from '../names.ts'
import { focusRow } from '../panes.ts'

/** Closes the conversation and goes to the next one of the list; opens it again if it is closed. What `E` does. */
export function useCloseOrReopen(contactId: string | undefined): () => void {
  const navigate = useNavigate()
  const { close, reopen } = useActions(contactId ?? '')
  return useCallback(() => {
    const detail = contactId === undefined ? undefined : queryClient.getQueryData(detailQuery(contactId).queryKey)
    if (contactId === undefined || !detail) return
    if (detail.conversation.state === 'closed') return void reopen()
    const ids = shownIds.get()
    const at = ids.indexOf(contactId)
    const left = nextWaiting.get()
    const beside = at < 0 ? undefined : (ids[at + 1] ?? ids[at - 1])
    const next = left?.id === contactId ? left.nextId : beside
    const row = next === undefined ? undefined : findRow(next)
    void close(row && shownName(row)).then((isDone) => {
      if (!isDone || !location.pathname.endsWith(contactId)) return
      const isPhone = matchMedia('(width < 640px)').matches
      if (next === undefined || isPhone) void navigate({ to: '/inbox', search: true })
      else void navigate({ to: '/inbox/$contactId', params: { contactId: next }, search: true, replace: true })
      if (next !== undefined) focusRow(next)
    })
  }, [contactId, close, reopen, navigate])
}
