import type { SavedReply } from '@patchbay/contract/app/teamwork.ts'

/** The slash and what follows it, at the start of a word and before the caret; null when there is none. */
export function slashBefore(text: string, caret: number): { from: number; typed: string } | null {
  const [, before = '', typed] = /(^|\s)\/([a-z0-9-]*)$/i.exec(text.slice(0, caret)) ?? []
  if (typed === undefined) return null
  const from = caret - typed.length - 1
  return from >= 0 && (from === 0 || before !== '') ? { from, typed: typed.toLowerCase() } : null
}

/** Returns the replies that match: first those whose shortcut begins like that, then those that have it anywhere. */
export function matchReplies(replies: readonly SavedReply[], typed: string): SavedReply[] {
  const begins = replies.filter(({ shortcut }) => shortcut.startsWith(typed))
  const others = replies.filter((reply) => !begins.includes(reply) && reply.shortcut.includes(typed))
  return [...begins, ...others].slice(0, 8)
}

/** The text with the contact's first name; without one, the comma before it goes too. */
export function fillIn(body: string, firstName: string | null): string {
  const name = firstName?.trim() ?? ''
  if (name === '') return body.replace(/,?[ \t]*\{\{\s*firstName\s*\}\}/g, '').trimStart()
  return body.replace(/\{\{\s*firstName\s*\}\}/g, () => name)
}
