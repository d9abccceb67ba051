import type { ChatSettings } from '@patchbay/contract/chat/protocol.ts'
import { isAllowed } from './page/allowed.ts'
import { findOther } from './page/api.ts'
import { startChat } from './page/start.ts'

/** Stands before this file, in the one that is served. */
declare const patchbaySettings: ChatSettings

const settings = patchbaySettings
const tag = document.currentScript as HTMLScriptElement | null
const other = findOther()
const say = (text: string) => console.info(`Patchbay chat: ${text}`)

if (other !== undefined) {
  if (other !== settings.id) say(`another chat is on this page already (${other}).`)
} else if (!isAllowed(settings.pages, location)) {
  say(`${location.origin} is not among the pages that this chat may be on.`)
} else if (!('replaceSync' in CSSStyleSheet.prototype) || !CSS.supports('color', 'light-dark(#000, #fff)')) {
  say('this browser is too old for it.')
} else {
  startChat(settings, {
    origin: settings.origin || (tag ? new URL(tag.src).origin : location.origin),
    nonce: tag ? tag.nonce || '' : '',
  })
}
