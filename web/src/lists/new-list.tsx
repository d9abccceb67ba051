import { useNavigate } from '@tanstack/react-router'
import { call } from '../data/api.ts'
import { queryClient } from '../data/queries.ts'
import { NameForm } from '../ui/name-form.tsx'
import { showToast } from '../ui/toast.ts'
import { listWords as words } from './words.ts'

/** The form for a new list, under the button that asked for it. */
export function NewList({ onDone }: { onDone: () => void }) {
  const navigate = useNavigate()
  const create = async (name: string) => {
    const list = await call('POST /api/lists', { body: { name } })
    await queryClient.invalidateQueries({ queryKey: ['GET /api/lists'] })
    showToast({ text: words.made(list.name) })
    onDone()
    await navigate({ to: '/lists/$listId', params: { listId: list.id } })
  }
  return <NameForm words={words} create={create} onCancel={onDone} className="stack stack-3 lists-new" />
}
