import type { Conversation } from '@patchbay/contract/app/conversations.ts'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import { detailQuery, listQuery } from '../data/queries.ts'
import type { View } from '../filters.ts'
import { listKeys } from './list-keys.ts'
import { steadyOrder } from './steady-order.ts'

export type ShownList = {
  /** Ids of contacts and headings, in the order in which they are shown. */
  keys: readonly string[]
  rowOf: (contactId: string) => Conversation | undefined
  /** How many rows would move if the pointer left the list. */
  heldBack: number
  hasMore: boolean
  isLoading: boolean
  error: Error | null
  retry: () => void
}

/** The conversations of a view; nothing moves while `isHeld`. */
export function useList(view: View, openId: string | undefined, isHeld: boolean): ShownList {
  const list = useQuery(listQuery(view))
  const waiting = useQuery({ ...listQuery('waiting'), enabled: view === 'all' })
  const rows = list.data?.rows ?? noRows
  const onTop = view === 'all' ? (waiting.data?.rows ?? noRows) : noRows
  const latest = useMemo(() => listKeys(view, rows, onTop), [view, rows, onTop])
  const keys = useSteady(view, latest, { isHeld, keep: view === 'all' ? undefined : openId })
  const rowOf = useRows(rows, onTop, openId)
  const error = list.error ?? waiting.error
  return {
    keys,
    rowOf,
    heldBack: isHeld ? latest.filter((key, index) => key !== keys[index] && !keys.includes(key)).length : 0,
    hasMore: typeof list.data?.next === 'string',
    isLoading: list.isPending || (view === 'all' && waiting.isPending),
    error: list.data ? null : error,
    retry: () => void Promise.all([list.refetch(), waiting.refetch()]),
  }
}

const noRows: readonly Conversation[] = []

function useSteady(filter: string, latest: readonly string[], options: { isHeld: boolean; keep: string | undefined }) {
  const shown = useRef<{ filter: string; keys: readonly string[] }>({ filter, keys: latest })
  const before = shown.current.filter === filter ? shown.current.keys : []
  const isHeld = options.isHeld && before.length > 0
  const keys = steadyOrder(before, latest, { ...options, isHeld })
  shown.current = { filter, keys }
  return keys
}

/**
 * Rows that left the list are remembered: a held or kept one is still shown. The open one as it is now: who was answered
 * waits no longer, although the row stays until somebody leaves it.
 */
function useRows(rows: readonly Conversation[], onTop: readonly Conversation[], openId: string | undefined) {
  const known = useRef(new Map<string, Conversation>())
  const open = useQuery({ ...detailQuery(openId ?? ''), enabled: false }).data?.conversation
  return useMemo(() => {
    const listed = [...rows, ...onTop]
    for (const row of listed) known.current.set(row.contactId, row)
    if (open && !listed.some(({ contactId }) => contactId === open.contactId)) known.current.set(open.contactId, open)
    return (contactId: string) => known.current.get(contactId)
  }, [rows, onTop, open])
}
