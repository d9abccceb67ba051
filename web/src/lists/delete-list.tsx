import type { ShownList } from '@patchbay/contract/app/lists.ts'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { useEffect, useRef } from 'react'
import { call } from '../api.ts'
import { refreshContacts } from '../contacts/contact-pages.ts'
import { Button } from '../ui/button.tsx'
import { sayError } from '../ui/error-state.tsx'
import { Note } from '../ui/note.tsx'
import { showToast } from '../ui/toast.ts'
import { listWords as words } from '../words/lists.ts'

/** Asks under the button, and says what goes and what stays. */
export function DeleteList({ list, onKeep }: { list: ShownList; onKeep: () => void }) {
  const navigate = useNavigate()
  const keep = useRef<HTMLButtonElement>(null)
  useEffect(() => keep.current?.focus(), [])
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/lists/:listId', { params: { listId: list.id } }),
    onSuccess: async () => {
      showToast({ text: words.deleted(list.name) })
      await navigate({ to: '/lists' })
      await refreshContacts()
    },
  })
  return (
    <Note tone="fail" icon={TriangleAlert}>
      <div className="stack stack-3">
        <p>
          <b className="strong">{words.deleteAsk(list.name)}</b> {words.deleteGoes(list.contacts)}
        </p>
        {remove.error && (
          <p className="fail" role="alert">
            {sayError(remove.error).title} {sayError(remove.error).hint}
          </p>
        )}
        <div className="row wrap">
          <Button look="destroy" busy={remove.isPending && words.deleting} onClick={() => remove.mutate()}>
            {words.deleteIt}
          </Button>
          <Button ref={keep} onClick={onKeep}>
            {words.keep}
          </Button>
        </div>
      </div>
    </Note>
  )
}
