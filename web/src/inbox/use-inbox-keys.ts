import { useNavigate } from '@tanstack/react-router'
import { useKeys } from '../commands/keys.ts'
import { writeIn } from './compose/compose-mode.ts'
import { useActions } from './data/use-actions.ts'
import { nextWaiting, shownIds } from './list/shown-ids.ts'
import { focusPane, focusRow, press, rowInFocus } from './panes.ts'
import { switchSides } from './switch-sides.ts'
import { useCloseOrReopen } from './team/use-close.ts'
import { inboxWords } from './words.ts'

const words = inboxWords.keys

type Parts = { openId: string | undefined; isSheet: boolean; toggleContact: () => void }

/** All of the inbox by keyboard. */
export function useInboxKeys({ openId, isSheet, toggleContact }: Parts): void {
  const navigate = useNavigate()
  const actions = useActions(openId ?? '')
  const closeOrReopen = useCloseOrReopen(openId)
  const group = words.group
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
  useKeys([
    { press: 'j', does: words.next, group, run: () => goTo(1) },
    { press: 'k', does: words.previous, group, run: () => goTo(-1) },
    { press: 'r', does: words.reply, group, run: () => openId !== undefined && writeIn(openId, 'reply') },
    { press: 'n', does: words.note, group, run: () => openId !== undefined && writeIn(openId, 'note') },
    { press: 'e', does: words.close, group, run: closeOrReopen },
    { press: 'a', does: words.assign, group, run: () => press('[data-assign]') },
    { press: 'h', does: words.snooze, group, run: () => press('[data-snooze]') },
    { press: 't', does: words.takeOver, group, run: () => openId !== undefined && switchSides(openId, actions) },
    { press: ']', does: words.contact, group, run: () => openId !== undefined && toggleContact() },
    { press: 'Shift+r', does: words.again, group, run: () => press('[data-again]') },
    { press: 'y', does: words.why, group, run: () => press('[data-why]') },
    { press: 'Escape', does: words.leave, group, run: leave },
  ])
}
