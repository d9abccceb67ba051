import type { ChatMessage } from '@patchbay/contract/chat/protocol.ts'

/** What tabs of one browser tell each other. They answer to nobody, and none is leader. */
export type TabWord =
  /** `before`: the number that came before it, so that whoever missed that one knows. */
  | { is: 'message'; message: ChatMessage; before: number }
  | { is: 'read'; seen: number }
  | { is: 'asked' }
  /** Logged out, or deleted: nothing of it may stay in any tab. */
  | { is: 'left' }

export type Tabs = { say: (word: TabWord) => void; open: () => void; close: () => void }

/** An open channel would keep the page out of the back-forward cache, so it is closed while the page is away. */
export function openTabs(id: string, hear: (word: TabWord) => void): Tabs {
  let channel: BroadcastChannel | undefined
  const tabs: Tabs = {
    say: (word) => channel?.postMessage(word),
    open: () => {
      if (channel || typeof BroadcastChannel === 'undefined') return
      channel = new BroadcastChannel(`patchbay.${id}`)
      channel.onmessage = ({ data }: MessageEvent<TabWord>) => hear(data)
    },
    close: () => {
      if (channel) channel.close()
      channel = undefined
    },
  }
  tabs.open()
  return tabs
}
