import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { duration } from '../../ui/say-time.ts'
import { useMedia } from '../../ui/use-media.ts'
import { useNow } from '../../ui/use-now.ts'
import { inboxWords as words } from '../../words/inbox.ts'
import { Convo } from './convo.tsx'
import { headings, isHeading } from './list-keys.ts'
import type { ShownList } from './use-list.ts'

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
  const virtual = useVirtualizer({
    count: keys.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (isHeading(keys[index] ?? '') ? headingHeight : rowHeight),
    getItemKey: (index) => keys[index] ?? index,
    overscan: 8,
    // The row that Tab leads to stays in the page, however far it is scrolled away.
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), ...(stopIndex < 0 ? [] : [stopIndex])])],
  })
  useRemeasure(virtual, `${rowHeight} ${keys.filter(isHeading).map((key) => keys.indexOf(key))}`)
  const openIndex = openId === undefined ? -1 : keys.indexOf(openId)
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another one is opened, not when the open one moves
  useEffect(() => {
    if (openIndex >= 0) virtual.scrollToIndex(openIndex, { align: 'auto' })
  }, [openId])
  const shown = virtual.getVirtualItems()
  const isNearEnd = (virtual.range?.endIndex ?? 0) >= keys.length - near
  useEffect(() => {
    if (isNearEnd && list.hasMore) onEnd()
  }, [isNearEnd, list.hasMore, onEnd])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the links in it
    <div className="convos" ref={scroller} onKeyDown={(event) => moveFocus(event, scroller.current)}>
      <ul className="convo-list" style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ key, index, start, size }) => {
          const id = String(key)
          const row = rowOf(id)
          return (
            <li
              key={id}
              style={{ transform: `translateY(${start}px)`, height: size }}
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

function useRemeasure(virtual: { measure: () => void }, shape: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` says when heights changed
  useEffect(() => virtual.measure(), [shape])
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
