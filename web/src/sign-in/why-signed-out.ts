import { createStore } from '../data/store.ts'

/** What ended the session that this page had, as a sentence; null when nothing did. */
export const whySignedOut = createStore<string | null>(null)
