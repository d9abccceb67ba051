import type { ShownList } from '@patchbay/contract/app/lists.ts'
import { refreshContacts } from '../contacts/contact-pages.ts'
import { call } from '../data/api.ts'
import { RenameForm } from '../ui/rename-form.tsx'
import { listWords as words } from './words.ts'

export function RenameList({ list, onDone }: { list: ShownList; onDone: () => void }) {
  const rename = async (name: string) => {
    await call('PATCH /api/lists/:listId', { params: { listId: list.id }, body: { name } })
    await refreshContacts()
  }
  return <RenameForm words={words} name={list.name} rename={rename} onDone={onDone} />
}
