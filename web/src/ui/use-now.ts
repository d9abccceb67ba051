import { useSyncExternalStore } from 'react'

/** The current time, which goes on every second or every half minute; one timer each for the whole page. */
export function useNow(step: 'second' | 'minute'): Date {
  const clock = clocks[step]
  return useSyncExternalStore(clock.subscribe, clock.get)
}

const clocks = { second: openClock(1_000), minute: openClock(30_000) }

function openClock(everyMs: number) {
  let now = new Date()
  let timer: ReturnType<typeof setInterval> | undefined
  const listeners = new Set<() => void>()
  const tick = () => {
    now = new Date()
    for (const listener of listeners) listener()
  }
  return {
    get: () => now,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      if (timer === undefined) {
        timer = setInterval(tick, everyMs)
        queueMicrotask(tick) // it stood still while nobody listened
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}
