import { createStore } from '../../data/store.ts'

/** Whether the window with all saved replies is open. The composer and the palette open it. */
export const savedRepliesOpen = createStore(false)
