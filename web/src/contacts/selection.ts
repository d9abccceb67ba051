import { useState } from 'react'

/** Which contacts are selected: some by their ids, or all that the search finds. */
export type Selection = {
  ids: ReadonlySet<string>
  isAll: boolean
  /** Whether those that were shown were selected at once, and nobody was taken out since. */
  tookShown: boolean
  has: (id: string) => boolean
  toggle: (id: string, isOn: boolean) => void
  /** Selects those that are shown, or nobody. */
  setShown: (ids: readonly string[], isOn: boolean) => void
  /** Selects all that the search finds. Whoever then takes one out keeps the others that are shown. */
  takeAll: () => void
  clear: () => void
}

/** A selection that is forgotten when `of` changes: who is out of sight must not be part of what is done next. */
export function useSelection(of: string, shown: readonly { id: string }[]): Selection {
  const [state, setState] = useState<State>(nothing(of))
  const { ids, isAll, tookShown } = state.of === of ? state : nothing(of)
  const known = isAll ? shown.map(({ id }) => id) : ids
  const change = (next: Iterable<string>, more: Partial<State> = {}) =>
    setState({ ...nothing(of), ...more, ids: new Set(next) })
  return {
    ids,
    isAll,
    tookShown,
    has: (id) => isAll || ids.has(id),
    toggle: (id, isOn) => change(isOn ? [...known, id] : [...known].filter((one) => one !== id)),
    setShown: (these, isOn) => change(isOn ? [...known, ...these] : [], { tookShown: isOn }),
    takeAll: () => change([], { isAll: true }),
    clear: () => setState(nothing(of)),
  }
}

/** Whether there are more than those selected, and somebody seems to mean them: more are loaded by scrolling. */
export function offersAll(selection: Selection, shown: readonly { id: string }[], hasNextPage: boolean): boolean {
  const { ids, isAll, tookShown } = selection
  if (isAll || !(hasNextPage || shown.length > ids.size)) return false
  return tookShown || shown.every(({ id }) => ids.has(id))
}

type State = { of: string; ids: ReadonlySet<string>; isAll: boolean; tookShown: boolean }
const nothing = (of: string): State => ({ of, ids: new Set<string>(), isAll: false, tookShown: false })
