import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** How near the end the thread follows new messages. */
const endPx = 48
/** How far before the top older messages are fetched. */
const topPx = 600

/**
 * Keeps the place of the reader. At the end the thread follows what is added; further up the message at the upper edge
 * stays where it is, whatever is added above or below it.
 */
export function useThreadScroll({ content, onTop }: { content: unknown; onTop: () => void }) {
  const scroller = useRef<HTMLDivElement>(null)
  const [isAtEnd, setAtEnd] = useState(true)
  const place = useRef<Place>('end')
  const toEnd = useCallback(() => {
    place.current = 'end'
    if (scroller.current) restore(scroller.current, 'end')
    setAtEnd(true)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the content changes, before it is painted
  useLayoutEffect(() => {
    if (scroller.current) restore(scroller.current, place.current)
  }, [content])
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    // Pictures, fonts, and a composer that grows change heights without a change of content.
    const observer = new ResizeObserver(() => restore(element, place.current))
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  }, [])
  const onScroll = () => {
    const element = scroller.current
    if (!element) return
    const isEnd = element.scrollHeight - element.scrollTop - element.clientHeight < endPx
    place.current = isEnd ? 'end' : topMost(element)
    setAtEnd(isEnd)
    if (element.scrollTop < topPx) onTop()
  }
  return { scroller, isAtEnd, toEnd, onScroll }
}

type Place = 'end' | { element: Element; offset: number }

/** The first message in view, and how far it is from the upper edge. */
function topMost(scroller: HTMLElement): Place {
  const { top } = scroller.getBoundingClientRect()
  for (const element of scroller.querySelectorAll('[data-anchor]')) {
    const box = element.getBoundingClientRect()
    if (box.bottom > top) return { element, offset: box.top - top }
  }
  return 'end'
}

function restore(scroller: HTMLElement, place: Place): void {
  if (place === 'end') {
    scroller.scrollTop = scroller.scrollHeight
  } else if (place.element.isConnected) {
    const moved = place.element.getBoundingClientRect().top - scroller.getBoundingClientRect().top - place.offset
    if (Math.abs(moved) >= 1) scroller.scrollTop += moved
  }
}
