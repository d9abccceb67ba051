import { createHook } from 'node:async_hooks'
import { setImmediate as turn } from 'node:timers/promises'

/** Follows every timer that is set from now on, also one that does not keep the process alive. */
export function watchTimers(): { open: () => Promise<string[]>; [Symbol.dispose]: () => void } {
  const setAt = new Map<number, string>()
  const hook = createHook({
    init: (id, type) => {
      if (type === 'Timeout') setAt.set(id, placeOf(new Error().stack ?? ''))
    },
    destroy: (id) => void setAt.delete(id),
  }).enable()
  return {
    /** Where those were set that have neither ended nor been cleared, as far as that is in our sources. */
    open: async () => {
      await turn() // a cleared timer is reported a turn later
      await turn()
      return [...setAt.values()].filter((place) => place !== '').sort()
    },
    [Symbol.dispose]: () => void hook.disable(),
  }
}

/** The innermost file of `server/src` on the stack. */
function placeOf(stack: string): string {
  return /server\/src\/[\w./-]+\.ts:\d+/.exec(stack)?.[0] ?? ''
}
