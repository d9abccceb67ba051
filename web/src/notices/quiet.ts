import type { AlertCondition } from '@patchbay/contract/alerts.ts'
import { createStore } from '../data/store.ts'

const name = 'patchbay quiet notices'

/** What this browser does not notify of. */
export const quiet = createStore<readonly string[]>(readQuiet())

export function setQuiet(condition: AlertCondition, isQuiet: boolean): void {
  const others = readQuiet().filter((one) => one !== condition)
  quiet.set(isQuiet ? [...others, condition] : others)
  try {
    localStorage.setItem(name, quiet.get().join(' '))
  } catch {
    // Storage is blocked or full.
  }
}

/** Reads it as it is kept by now: another tab may have changed it. */
export function readQuiet(): string[] {
  try {
    return (localStorage.getItem(name) ?? '').split(' ').filter((one) => one !== '')
  } catch {
    return []
  }
}
