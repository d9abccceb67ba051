import { limits } from '@patchbay/contract/limits.ts'
import { useMutation } from '@tanstack/react-query'
import { call } from '../data/api.ts'
import { sayError } from '../ui/error-state.tsx'
import { showToast } from '../ui/toast.ts'
import { type ContactFilter, refreshContacts } from './contact-pages.ts'
import { manyWords as words } from './import/words.ts'
import type { Selection } from './selection.ts'

type List = { id: string; name: string }

/** Puts the selected contacts on a list, or takes them off it. */
export function useMany(selection: Selection, filter: ContactFilter) {
  const onError = (error: Error) => showToast({ text: sayError(error).title })
  const onSettled = () => void refreshContacts()
  const add = useMutation({
    mutationFn: async (list: List) => {
      const sum = { added: 0, already: 0 }
      for (const body of bodiesOf(selection, filter)) {
        const page = await call('POST /api/lists/:listId/members', { params: { listId: list.id }, body })
        sum.added += page.added
        sum.already += page.already
      }
      return sum
    },
    onSuccess: ({ added, already }, list) => {
      showToast({ text: words.added(added, already, list.name) })
      selection.clear()
    },
    onError,
    onSettled,
  })
  const remove = useMutation({
    mutationFn: async (list: List) => {
      let removed = 0
      for (const body of bodiesOf(selection, filter)) {
        const page = await call('POST /api/lists/:listId/members/remove', { params: { listId: list.id }, body })
        removed += page.removed
      }
      return removed
    },
    onSuccess: (removed, list) => {
      showToast({ text: words.removed(removed, list.name) })
      selection.clear()
    },
    onError,
    onSettled,
  })
  return { add, remove, isBusy: add.isPending || remove.isPending }
}

/** Returns the bodies of the requests for a selection; each names a thousand contacts at most. */
function bodiesOf({ ids, isAll }: Selection, { q, listId }: ContactFilter) {
  if (isAll) return [{ found: { ...(q && { q }), ...(listId && { listId }) } }]
  const all = [...ids]
  const requests = Math.ceil(all.length / limits.contactsAtOnce)
  return Array.from({ length: requests }, (_, n) => ({
    contactIds: all.slice(n * limits.contactsAtOnce, (n + 1) * limits.contactsAtOnce),
  }))
}
