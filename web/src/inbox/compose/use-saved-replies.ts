import type { SavedReply } from '@patchbay/contract/app/teamwork.ts'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type RefObject, useId, useState } from 'react'
import { read } from '../../data/queries.ts'
import { useRefresh } from '../../data/use-refresh.ts'
import { savedRepliesOpen } from '../team/saved-open.ts'
import { fillIn, matchReplies, slashBefore } from './saved-text.ts'

type Parts = {
  text: string
  setText: (text: string) => void
  area: RefObject<HTMLTextAreaElement | null>
  firstName: string | null
}

export type SavedReplies = ReturnType<typeof useSavedReplies>

/** The saved replies that a slash offers: arrows choose, Enter or Tab takes, Escape closes. */
export function useSavedReplies({ text, setText, area, firstName }: Parts) {
  const [caret, setCaret] = useState(0)
  const [isLeft, setLeft] = useState(true)
  const [dismissed, setDismissed] = useState<string>()
  const [chosen, setChosen] = useState(0)
  const listId = useId()
  const slash = isLeft ? null : slashBefore(text, Math.min(caret, text.length))
  const { data } = useQuery({ ...read('GET /api/saved-replies'), enabled: slash !== null })
  useRefresh(['saved-replies'], ['GET /api/saved-replies'])
  const replies = slash && data ? matchReplies(data.replies, slash.typed) : []
  const isOpen = slash !== null && data !== undefined && dismissed !== text
  const count = replies.length + 1 // the last one leads to all of them
  const at = Math.min(chosen, count - 1)
  const manage = () => {
    setDismissed(text)
    savedRepliesOpen.set(true)
  }
  const take = (reply: SavedReply) => {
    if (!slash) return
    const filled = fillIn(reply.body, firstName)
    setText(text.slice(0, slash.from) + filled + text.slice(Math.min(caret, text.length)))
    focusAt(area, slash.from + filled.length)
  }
  const takeAt = (index: number) => {
    const reply = replies[index]
    if (reply) take(reply)
    else manage()
  }
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!isOpen || event.nativeEvent.isComposing || event.shiftKey) return false
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setChosen((at + step + count) % count)
    else if (event.key === 'Enter' || event.key === 'Tab') takeAt(at)
    else if (event.key === 'Escape') setDismissed(text)
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }
  return {
    isOpen,
    replies,
    at,
    takeAt,
    listId,
    onKeyDown,
    hasAny: (data?.replies.length ?? 0) > 0,
    onSelect: () => {
      setCaret(area.current?.selectionStart ?? 0)
      setLeft(false)
      setChosen(0)
    },
    onBlur: () => setLeft(true),
    fieldProps: isOpen
      ? ({ 'aria-controls': listId, 'aria-activedescendant': `${listId}-${at}`, 'aria-autocomplete': 'list' } as const)
      : {},
  }
}

/** Puts the caret there once the new text is drawn. */
function focusAt(area: Parts['area'], caret: number): void {
  requestAnimationFrame(() => {
    area.current?.focus()
    area.current?.setSelectionRange(caret, caret)
  })
}
