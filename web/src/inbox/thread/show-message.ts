import { queryClient } from '../../data/queries.ts'
import { loadOlderMessages, threadQuery } from '../data/queries.ts'

/** So many pages are loaded to find a message further up. */
const mostPages = 20

/** Scrolls to a message of the open conversation, and marks it for a moment. One further up is loaded first. */
export async function showMessage(contactId: string, messageId: string): Promise<void> {
  for (let pages = 0; pages < mostPages && !find(messageId); pages += 1) {
    if (!queryClient.getQueryData(threadQuery(contactId).queryKey)?.older) break
    await loadOlderMessages(contactId).catch(() => {})
    await new Promise((done) => requestAnimationFrame(done)) // so that it is drawn
  }
  const found = find(messageId)
  if (!found) return
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
  found.scrollIntoView({ block: 'center', behavior: isCalm ? 'auto' : 'smooth' })
  found.classList.add('pointed-at')
  setTimeout(() => found.classList.remove('pointed-at'), 2_000)
}

function find(messageId: string): Element | null {
  return document.querySelector(`[data-message="${CSS.escape(messageId)}"]`)
}
