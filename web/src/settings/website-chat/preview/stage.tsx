import type { ChatLanguage, ChatSettings } from '@patchbay/contract/chat/protocol.ts'

export type View = 'open' | 'closed' | 'phone'

/** Where the chat stands. */
export function Stage(_: { settings: ChatSettings; view: View; language: ChatLanguage }) {
  return <div className="chat-set-stage" />
}
