import type { ChatSettings } from '@patchbay/contract/chat/protocol.ts'

/**
 * The script of one channel: its settings, and the loader that reads them. The settings are text in a script and nothing else:
 * no name or greeting can end it or become part of it.
 */
export function composeLoader(settings: ChatSettings, loader: string): string {
  return `(()=>{const patchbaySettings=${escaped(settings)};${loader}})()`
}

function escaped(settings: ChatSettings): string {
  return JSON.stringify(settings).replace(
    /[<\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
