import { chatLimits } from '@patchbay/contract/chat/protocol.ts'
import { isOnPages, readOrigin } from './origin.ts'

/**
 * The page that a message was written on: origin and path of one that the chat may be on, without query and fragment, in which shops
 * and mails put what is nobody's business. Null: it is not told.
 */
export function readPage(text: string | undefined, pages: readonly string[]): string | null {
  const url = text === undefined || text.length > mostGiven ? null : URL.parse(text)
  const origin = url ? readOrigin(url.origin) : undefined
  if (!url || !origin || url.username !== '' || url.password !== '' || !isOnPages(pages, origin)) return null
  return `${url.origin}${url.pathname}`.slice(0, chatLimits.pageCharacters)
}

const mostGiven = 8_192
