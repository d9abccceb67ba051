import type { ShownList } from '@patchbay/contract/app/lists.ts'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { refreshContacts } from '../contacts/contact-pages.ts'
import { call } from '../data/api.ts'
import { AskDestroy } from '../ui/ask-destroy.tsx'
import { showToast } from '../ui/toast.ts'
import { listWords as words } from './words.ts'

/** Asks under the button, and says what goes and what stays. */
export function DeleteList({ list, onKeep }: { list: ShownList; onKeep: () => void }) {
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/lists/:listId', { params: { listId: list.id } }),
    onSuccess: async () => {
      showToast({ text: words.deleted(list.name) })
      await navigate({ to: '/lists' })
      await refreshContacts()
    },
  })
  return (
    <AskDestroy
      destroy={remove}
      words={{ doIt: words.deleteIt, doing: words.deleting, keep: words.keep }}
      onKeep={onKeep}
    >
      <p>
        <b className="strong">{words.deleteAsk(list.name)}</b> {words.deleteGoes(list.contacts)}
      </p>
    </AskDestroy>
  )
}
