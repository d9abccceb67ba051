import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useCommands } from '../commands/commands.ts'
import { keyWords } from '../commands/words.ts'

/**
 * What may cover a row that the keys have moved to. Above it: the head of the table, which stays, and what `.stays`
 * above that. Below: the bar of a phone.
 */
const headHeight = 40
const barHeight = 64

/** How many rows before the end the next page is fetched. */
const fetchAhead = 30

/**
 * The body of a long table in the page: only the rows in sight are in the document. `J` and `K` move the focus from one
 * row's link to the next.
 */
export function VirtualRows<Item extends { id: string }>({
  items,
  rowHeight,
  columns,
  says,
  onNearEnd,
  children,
}: {
  items: readonly Item[]
  /** The height of a row, about; rows are measured. */
  rowHeight: number
  columns: number
  says: { next: string; previous: string }
  onNearEnd: () => void
  /** The cells of a row. The first link in them is what the keys move to. */
  children: (item: Item) => { isSelected?: boolean; cells: ReactNode }
}) {
  const body = useRef<HTMLTableSectionElement>(null)
  const virtualizer = useRows({ body, items, rowHeight })
  const rows = virtualizer.getVirtualItems()
  useRowKeys({ body, count: items.length, says, show: (index) => virtualizer.scrollToIndex(index) })
  const last = rows.at(-1)?.index ?? 0
  useEffect(() => {
    if (items.length > 0 && last >= items.length - fetchAhead) onNearEnd()
  }, [last, items.length, onNearEnd])
  const margin = virtualizer.options.scrollMargin
  return (
    <tbody ref={body}>
      <Space columns={columns} height={(rows[0]?.start ?? margin) - margin} />
      {rows.map(({ index, key }) => {
        const item = items[index]
        if (!item) return null
        const { isSelected, cells } = children(item)
        return (
          <tr key={key} data-index={index} ref={virtualizer.measureElement} aria-selected={isSelected || undefined}>
            {cells}
          </tr>
        )
      })}
      <Space columns={columns} height={virtualizer.getTotalSize() - ((rows.at(-1)?.end ?? margin) - margin)} />
    </tbody>
  )
}

type Body = { current: HTMLTableSectionElement | null }

function useRows<Item extends { id: string }>({
  body,
  items,
  rowHeight,
}: {
  body: Body
  items: readonly Item[]
  rowHeight: number
}) {
  const [scrollMargin, setMargin] = useState(0)
  // What is above may grow or go, such as a question: measured after each change, set only when it has moved.
  useLayoutEffect(() => {
    const top = body.current?.getBoundingClientRect().top
    if (top !== undefined) setMargin(Math.round(top + scrollY))
  })
  return useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowHeight,
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: 12,
    scrollMargin,
    scrollPaddingStart: coveredHeight(),
    scrollPaddingEnd: barHeight,
  })
}

/** Stands in place of the rows that are out of sight. */
function Space({ columns, height }: { columns: number; height: number }) {
  if (height <= 0) return null
  return (
    <tr className="table-space">
      <td colSpan={columns} style={{ height }} />
    </tr>
  )
}

function useRowKeys({
  body,
  count,
  says,
  show,
}: {
  body: Body
  count: number
  says: { next: string; previous: string }
  show: (index: number) => void
}): void {
  const move = (step: number) => {
    const at = document.activeElement?.closest('tr')?.getAttribute('data-index')
    const from = at === null || at === undefined ? firstInSight(body) - step : Number(at)
    const to = Math.min(Math.max(from + step, 0), count - 1)
    show(to)
    focusWhenThere(body, to)
  }
  const group = keyWords.thisPage
  useCommands([
    { id: 'next row', label: says.next, keys: 'j', group, run: () => move(1) },
    { id: 'previous row', label: says.previous, keys: 'k', group, run: () => move(-1) },
  ])
}

function firstInSight(body: Body): number {
  const rows = [...(body.current?.querySelectorAll<HTMLElement>('tr[data-index]') ?? [])]
  const first = rows.find((row) => row.getBoundingClientRect().top >= coveredHeight() - 1)
  return Number(first?.dataset.index ?? 0)
}

function coveredHeight(): number {
  const bar = document.querySelector<HTMLElement>('.stays')
  return headHeight + (bar ? Number.parseFloat(getComputedStyle(bar).top) + bar.offsetHeight : 0)
}

/** A row that was out of sight is drawn some frames after the scroll. */
function focusWhenThere(body: Body, index: number, frames = 20): void {
  const link = body.current?.querySelector<HTMLElement>(`tr[data-index="${index}"] a`)
  if (link) link.focus({ preventScroll: true })
  else if (frames > 0) requestAnimationFrame(() => focusWhenThere(body, index, frames - 1))
}
