import { createStore } from '../../data/store.ts'

/** What the search of the inbox is to look for next, such as what the palette found too much of; empty: nothing. */
export const searchRequest = createStore('')
