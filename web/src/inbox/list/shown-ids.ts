import { createStore } from '../../data/store.ts'
import type { LeftWaiting } from './left-waiting.ts'

/** The conversations of the list in their order, for the keys that go through it. */
export const shownIds = createStore<readonly string[]>([])

/** Where the key for the next one leads, where that is not the one below. */
export const nextWaiting = createStore<LeftWaiting>(undefined)
