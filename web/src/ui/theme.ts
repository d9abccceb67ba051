import { createKeptStore } from '../data/store.ts'

const themes = ['system', 'light', 'dark'] as const

/** The chosen theme, kept in this browser; `public/theme.js` reads it before the first paint. */
export const theme = createKeptStore('theme', themes)

theme.subscribe(() => {
  const chosen = theme.get()
  if (chosen === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
})
