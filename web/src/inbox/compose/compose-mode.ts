import { createStore, useStore } from '../../data/store.ts'
import { focusPane } from '../panes.ts'

type Mode = 'reply' | 'note'

/** What somebody writes in one conversation: another one begins with a reply. */
const chosen = createStore<{ contactId: string; mode: Mode }>({ contactId: '', mode: 'reply' })

export function useComposeMode(contactId: string): Mode {
  const { contactId: of, mode } = useStore(chosen)
  return of === contactId ? mode : 'reply'
}

export function setComposeMode(contactId: string, mode: Mode): void {
  chosen.set({ contactId, mode })
}

/** Puts the focus where a reply or a note is written. */
export function writeIn(contactId: string, mode: Mode): void {
  setComposeMode(contactId, mode)
  requestAnimationFrame(() => focusPane('composer'))
}
