import type { KeyboardEvent } from 'react'

/**
 * Whether a key sends: Enter does, Shift and Enter begin a new line. While a word is being composed Enter takes it, as
 * in Japanese.
 */
export function isSend(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && !event.shiftKey && !event.altKey && !event.nativeEvent.isComposing
}
