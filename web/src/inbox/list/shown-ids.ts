import { createStore } from '../../store.ts'

/** The conversations of the list in their order, for the keys that go through it. */
export const shownIds = createStore<readonly string[]>([])
