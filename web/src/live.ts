import { createStore } from './store.ts'

/** Something changed; the truth is fetched. `everything` after a time without a stream. */
export type Hint =
  | { topic: 'conversation'; contactId: string; changes: number }
  | { topic: 'counts' | 'contacts' | 'lists' | 'webhook' | 'simulator' | 'everything' }

const listeners = new Set<(hint: Hint) => void>()

/** Told of every change that the server reports. */
export function onHint(listener: (hint: Hint) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether the server can be heard, and if not, since when. */
export type Connection = { state: 'connected' } | { state: 'lost'; since: Date; nextTryAt: Date | null }

export const connection = createStore<Connection>({ state: 'connected' })

export function watchConnection(): void {
  const lost = () => connection.set({ state: 'lost', since: new Date(), nextTryAt: null })
  window.addEventListener('offline', lost)
  window.addEventListener('online', () => {
    connection.set({ state: 'connected' })
    for (const listener of listeners) listener({ topic: 'everything' })
  })
  if (!navigator.onLine) lost()
}
