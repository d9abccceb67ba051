import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { duration } from '../../ui/format-time.ts'
import { useMedia } from '../../ui/use-media.ts'
import { useNow } from '../../ui/use-now.ts'
import { inboxWords as words } from '../words.ts'
import { Convo } from './convo.tsx'
import { headings, isHeading } from './list-keys.ts'
import type { ShownList } from './use-list.ts'
import { useRowsInSight } from './use-rows-in-sight.ts'

const headingHeight = 30
const near = 12

/** The rows, of which only those in view are drawn. */
export function Rows({
  list,
  openId,
  longestSince,
  onEnd,
}: {
  list: ShownList
  openId: string | undefined
  longestSince: string | null
  onEnd: () => void
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const { keys, rowOf } = list
  const rowHeight = useMedia('(width < 640px)') ? 64 : 60
  const [focused, setFocused] = useState<string>()
  const stop =
    [focused, openId].find((id) => id !== undefined && keys.includes(id)) ?? keys.find((key) => !isHeading(key))
  const stopIndex = stop === undefined ? -1 : keys.indexOf(stop)
  const heights = useMemo(() => keys.map((key) => (isHeading(key) ? headingHeight : rowHeight)), [keys, rowHeight])
  const { starts, drawn, lastInSight, show } = useRowsInSight(scroller, heights)
  const openIndex = openId === undefined ? -1 : keys.indexOf(openId)
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another one is opened, not when the open one moves
  useEffect(() => {
    if (openIndex >= 0) show(openIndex)
  }, [openId])
  // The row that Tab leads to stays in the page, however far it is scrolled away.
  const shown = range(drawn.first, drawn.last, stopIndex)
  const isNearEnd = lastInSight >= keys.length - near
  useEffect(() => {
    if (isNearEnd && list.hasMore) onEnd()
  }, [isNearEnd, list.hasMore, onEnd])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the links in it
    <div className="convos" ref={scroller} onKeyDown={(event) => moveFocus(event, scroller.current)}>
      <ul className="convo-list" style={{ height: starts.at(-1) }}>
        {shown.map((index) => {
          const id = keys[index] ?? ''
          const row = rowOf(id)
          return (
            <li
              key={id}
              style={{ transform: `translateY(${starts[index]}px)`, height: heights[index] }}
              onFocus={() => setFocused(id)}
              data-index={index}
            >
              {isHeading(id) ? (
                <Heading of={id} longestSince={longestSince} />
              ) : (
                row && <Convo row={row} isOpen={id === openId} isStop={id === stop} />
              )}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

/** The indexes from first to last, and one more. */
function range(first: number, last: number, further: number): number[] {
  const indexes = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at)
  return further < 0 || (further >= first && further <= last) ? indexes : [...indexes, further]
}

function Heading({ of, longestSince }: { of: string; longestSince: string | null }) {
  const now = useNow('minute')
  if (of === headings.newest) return <div className="list-group">{words.newestGroup}</div>
  return (
    <div className="list-group">
      <span>{words.waitingGroup}</span>
      {longestSince !== null && <span>{words.longest(duration(now.getTime() - Date.parse(longestSince)))}</span>}
    </div>
  )
}

/** Arrow keys move through the rows; Home and End are the browser's. */
function moveFocus(event: KeyboardEvent, scroller: HTMLElement | null): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const rows = [...(scroller?.querySelectorAll<HTMLElement>('.convo') ?? [])].sort(
    (one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top,
  )
  const at = rows.indexOf(document.activeElement as HTMLElement)
  if (step === undefined || at < 0) return
  event.preventDefault()
  rows[at + step]?.focus()
}
