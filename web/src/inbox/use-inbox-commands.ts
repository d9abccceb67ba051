import { useNavigate } from '@tanstack/react-router'
import MessageSquareText from 'lucide-react/icons/message-square-text'
import SquarePen from 'lucide-react/icons/square-pen'
import { useCommands } from '../commands/commands.ts'
import { nextWaiting, shownIds } from './list/shown-ids.ts'
import { focusPane, focusRow, rowInFocus } from './panes.ts'
import { savedRepliesOpen } from './team/saved-open.ts'
import { teamWords } from './team/words.ts'
import { inboxWords as words } from './words.ts'
import { writeWords } from './write/words.ts'
import { writeTo } from './write/write-to.ts'

type Parts = { openId: string | undefined; isSheet: boolean; toggleContact: () => void }

/** What can be done in all of the inbox; what is shown of the open conversation registers its own commands. */
export function useInboxCommands({ openId, isSheet, toggleContact }: Parts): void {
  const navigate = useNavigate()
  const group = words.keys.group
  const goTo = (step: 1 | -1) => {
    const ids = shownIds.get()
    const from = rowInFocus() ?? openId
    const at = from === undefined ? -1 : ids.indexOf(from)
    const left = step > 0 && from === openId ? nextWaiting.get() : undefined
    const below = ids[at < 0 ? (step > 0 ? 0 : ids.length - 1) : at + step]
    const id = left !== undefined && left.id === from ? left.nextId : below
    if (id === undefined) return
    // On a phone the keys of the list only move through it; Enter opens.
    if (openId !== undefined || matchMedia('(width >= 640px)').matches) {
      void navigate({ to: '/inbox/$contactId', params: { contactId: id }, search: true, replace: openId !== undefined })
    }
    focusRow(id)
  }
  const leave = () => {
    if (isSheet) return toggleContact()
    const field = document.activeElement
    if (field?.closest('.search')) return
    if (field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement) return focusPane('thread')
    if (openId === undefined) return
    if (matchMedia('(width < 640px)').matches) void navigate({ to: '/inbox', search: true })
    focusRow(openId)
  }
  useCommands([
    { id: 'next', label: words.keys.next, keys: 'j', group, run: () => goTo(1) },
    { id: 'previous', label: words.keys.previous, keys: 'k', group, run: () => goTo(-1) },
    { id: 'leave', label: words.keys.leave, keys: 'Escape', group, run: leave },
    {
      id: 'write',
      label: writeWords.pencil,
      keys: 'c',
      group,
      palette: { group: words.title, icon: SquarePen },
      run: () => writeTo.set({ contact: undefined }),
    },
    {
      id: 'saved',
      label: teamWords.savedReplies,
      group,
      palette: { group: words.title, icon: MessageSquareText },
      run: () => savedRepliesOpen.set(true),
    },
  ])
}
