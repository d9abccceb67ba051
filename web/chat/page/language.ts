import type { ChatLanguage } from '@patchbay/contract/chat/protocol.ts'

/** Of those that the owner offers: that of the page, then the first that the visitor's browser names, then the owner's first. */
export function chooseLanguage(
  offered: readonly ChatLanguage[],
  ofPage: string,
  ofVisitor: readonly string[],
): ChatLanguage {
  for (const name of [ofPage, ...ofVisitor]) {
    const found = offered.find((language) => language === name.toLowerCase().split(/[-_]/)[0])
    if (found) return found
  }
  return offered[0] || 'en'
}
