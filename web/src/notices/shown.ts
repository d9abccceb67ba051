/** How long the other tabs have to answer. */
const answerMs = 200

type TabMessage = { ask: true } | { shows: string }

/** Which conversations somebody looks at now, in any tab of this browser. */
export function openShown(userId: string): { ask: () => Promise<string[]>; close: () => void } {
  const channel = new BroadcastChannel(`patchbay shown ${userId}`)
  const heard = new Set<string>()
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if ('shows' in data) heard.add(data.shows)
    else for (const contactId of shownHere()) channel.postMessage({ shows: contactId } satisfies TabMessage)
  }
  return {
    ask: async () => {
      heard.clear()
      channel.postMessage({ ask: true } satisfies TabMessage)
      await new Promise((done) => setTimeout(done, answerMs))
      return [...heard, ...shownHere()]
    },
    close: () => channel.close(),
  }
}

function shownHere(): string[] {
  const [, contactId] = /^\/inbox\/([^/]+)$/.exec(location.pathname) ?? []
  return contactId !== undefined && document.visibilityState === 'visible' && document.hasFocus() ? [contactId] : []
}
