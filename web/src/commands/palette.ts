import { createStore } from '../data/store.ts'

/** Whether the palette is open. The rail and Ctrl K open it. */
export const paletteOpen = createStore(false)
