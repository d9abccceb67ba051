import { useState } from 'react'

/** Which contacts are selected: some by their ids, or all that the search finds. */
export type Selection = {
  ids: ReadonlySet<string>
  isAll: boolean
  has: (id: string) => boolean
  toggle: (id: string, isOn: boolean) => void
  /** Those that are shown. */
  setShown: (ids: readonly string[], isOn: boolean) => void
  takeAll: () => void
  clear: () => void
}

/** Forgotten when `of` changes: who is out of sight must not be part of what is done next. */
export function useSelection(of: string): Selection {
  const [state, setState] = useState<{ of: string; ids: ReadonlySet<string>; isAll: boolean }>(nothing(of))
  const { ids, isAll } = state.of === of ? state : nothing(of)
  const change = (next: Iterable<string>) => setState({ of, ids: new Set(next), isAll: false })
  return {
    ids,
    isAll,
    has: (id) => isAll || ids.has(id),
    toggle: (id, isOn) => change(isOn ? [...ids, id] : [...ids].filter((one) => one !== id)),
    setShown: (shown, isOn) => change(isOn ? [...ids, ...shown] : []),
    takeAll: () => setState({ of, ids: new Set(), isAll: true }),
    clear: () => setState(nothing(of)),
  }
}

const nothing = (of: string) => ({ of, ids: new Set<string>(), isAll: false })
