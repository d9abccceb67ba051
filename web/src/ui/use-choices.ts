import { type KeyboardEvent, useEffect, useState } from 'react'

/**
 * The keys of what opens beside a button: the focus begins at the first thing in it, also when that is loaded later, and the
 * arrows, Home and End go from one button to the next.
 */
export function useChoices() {
  const [frame, setFrame] = useState<HTMLElement | null>(null)
  useEffect(() => {
    if (!frame) return
    const begin = () => {
      if (document.activeElement !== frame) return
      frame.querySelector<HTMLElement>('button:not([disabled]), a[href], input, select, textarea')?.focus()
    }
    begin()
    const changes = new MutationObserver(begin)
    changes.observe(frame, { childList: true, subtree: true })
    return () => changes.disconnect()
  }, [frame])
  return { ref: setFrame, onKeyDown: (event: KeyboardEvent) => frame && moveBetween(frame, event) }
}

function moveBetween(frame: HTMLElement, event: KeyboardEvent): void {
  const buttons = [...frame.querySelectorAll<HTMLElement>('button:not([disabled])')]
  const at = buttons.indexOf(event.target as HTMLElement)
  if (at < 0 && event.target !== frame) return
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key]
  const next = to === undefined ? undefined : buttons[to]
  if (!next) return
  event.preventDefault()
  next.focus()
}
