import { type RefObject, useCallback, useLayoutEffect, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'

/** Rows drawn above and below those in sight. */
const overscan = 8

type Range = { first: number; last: number }

/**
 * Which rows of a scrolled box are in sight, where each row's height is known beforehand. Not the virtualizer of the long
 * tables: what that one measures is 9 KB of the first view.
 */
export function useRowsInSight(scroller: RefObject<HTMLElement | null>, heights: readonly number[]) {
  const starts = useMemo(() => startsOf(heights), [heights])
  const [inSight, setInSight] = useState<Range>({ first: 0, last: -1 })
  useLayoutEffect(() => {
    const box = scroller.current
    if (!box) return
    const look = () => {
      const first = rowAt(starts, box.scrollTop)
      const last = rowAt(starts, box.scrollTop + box.clientHeight)
      setInSight((before) => (before.first === first && before.last === last ? before : { first, last }))
    }
    look()
    // In the frame of the scroll: what scrolls in is never blank.
    const lookNow = () => flushSync(look)
    box.addEventListener('scroll', lookNow, { passive: true })
    const resizes = new ResizeObserver(look)
    resizes.observe(box)
    return () => {
      box.removeEventListener('scroll', lookNow)
      resizes.disconnect()
    }
  }, [scroller, starts])
  /** Scrolls as little as needed. */
  const show = useCallback(
    (index: number) => {
      const box = scroller.current
      const [start, end] = [starts[index], starts[index + 1]]
      if (!box || start === undefined || end === undefined) return
      if (start < box.scrollTop) box.scrollTop = start
      else if (end > box.scrollTop + box.clientHeight) box.scrollTop = end - box.clientHeight
    },
    [scroller, starts],
  )
  const count = heights.length
  const drawn = { first: Math.max(0, inSight.first - overscan), last: Math.min(count - 1, inSight.last + overscan) }
  return { starts, drawn, lastInSight: inSight.last, show }
}

/** Where each row begins, and at the end where the last one ends. */
function startsOf(heights: readonly number[]): number[] {
  const starts = [0]
  for (const height of heights) starts.push((starts.at(-1) ?? 0) + height)
  return starts
}

/** The row at this height, by halving. */
function rowAt(starts: readonly number[], top: number): number {
  let [low, high] = [0, Math.max(0, starts.length - 2)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= top) low = middle
    else high = middle - 1
  }
  return low
}
