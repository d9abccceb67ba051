import { createKeptStore } from '../data/store.ts'

const name = 'patchbay notices'

/** Whether this browser notifies. Every tab follows, because the one that leads may be another. */
export const notices = createKeptStore(name, ['off', 'on'])

window.addEventListener('storage', ({ key, newValue }) => {
  if (key === name) notices.set(newValue === 'on' ? 'on' : 'off')
})
