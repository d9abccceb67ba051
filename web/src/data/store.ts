import { useSyncExternalStore } from 'react'

/** A value outside the components, which they can follow. */
export type Store<Value> = {
  get: () => Value
  set: (value: Value) => void
  subscribe: (listener: () => void) => () => void
}

export function createStore<Value>(initial: Value): Store<Value> {
  let current = initial
  const listeners = new Set<() => void>()
  return {
    get: () => current,
    set: (value) => {
      if (Object.is(value, current)) return
      current = value
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export function useStore<Value>(store: Store<Value>): Value {
  return useSyncExternalStore(store.subscribe, store.get)
}

/** Makes a store that is kept in this browser; it works without storage, until the page is left. */
export function createKeptStore<Value extends string>(
  name: string,
  allowed: readonly [Value, ...Value[]],
): Store<Value> {
  const store = createStore<Value>(readKept(name, allowed))
  return {
    ...store,
    set: (value) => {
      store.set(value)
      try {
        localStorage.setItem(name, value)
      } catch {
        // Storage is blocked or full.
      }
    },
  }
}

function readKept<Value extends string>(name: string, [fallback, ...others]: readonly [Value, ...Value[]]): Value {
  try {
    const kept = localStorage.getItem(name)
    return others.find((value) => value === kept) ?? fallback
  } catch {
    return fallback
  }
}
