import { beatSeconds, type LiveEvent, type LiveTopic } from '@patchbay/contract/app/live.ts'
import { askWhetherSignedIn } from './api.ts'
import { createStore } from './store.ts'

/** Something changed; the truth is fetched. `everything`: after a time without a stream, or when too much has changed. */
export type Hint =
  | { topic: 'conversation' | 'writing'; contactId: string }
  | { topic: Exclude<LiveTopic, 'conversations'> | 'everything' }

const listeners = new Set<(hint: Hint) => void>()

/** Calls the listener for every change that the server reports. */
export function onHint(listener: (hint: Hint) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function tell(hint: Hint): void {
  for (const listener of listeners) listener(hint)
}

/** Whether the server can be heard, and if not, since when. */
export type Connection = { state: 'connected' } | { state: 'lost'; since: Date; nextTryAt: Date | null }

export const connection = createStore<Connection>({ state: 'connected' })

/** Whether this tab has the stream, for all tabs of the browser. */
export const leading = createStore(false)

function lose(nextTryAt: Date | null): void {
  const now = connection.get()
  connection.set({ state: 'lost', since: now.state === 'lost' ? now.since : new Date(), nextTryAt })
}

/** Without a beat for so long, the stream is taken for dead. */
const silentMs = (2 * beatSeconds + 10) * 1_000
/** How often a page asks for everything while it has no stream, or a hint was lost. */
const pollMs = { withoutStream: 5_000, withStream: 60_000 }
const longestRetryMs = 15_000

/**
 * Hears what changes for this user. One tab of the browser has the stream, the one with the lock, and tells the others
 * through a channel: a browser opens only six connections to one server. When that tab is closed, another gets the lock.
 */
export function startLive(userId: string): () => void {
  const ending = new AbortController()
  const name = `patchbay live ${userId}`
  const channel = new BroadcastChannel(name)
  let heardAt = performance.now()
  let installation: string | undefined

  function hear(event: LiveEvent): void {
    heardAt = performance.now()
    if (connection.get().state === 'lost' && navigator.onLine) connection.set({ state: 'connected' })
    if (event.kind === 'hello') {
      // The data was restored from a copy: what is shown may never have happened. Drafts are kept.
      if (installation !== undefined && installation !== event.installation) location.reload()
      installation = event.installation
    }
    handle(event)
  }
  channel.onmessage = ({ data }: MessageEvent<LiveEvent>) => hear(data)
  const lead = () => {
    leading.set(true)
    return holdStream(userId, ending.signal, (event) => {
      channel.postMessage(event)
      hear(event)
    }).finally(() => leading.set(false))
  }
  navigator.locks.request(name, { signal: ending.signal }, lead).catch(() => {}) // ended while it waited
  const offline = () => lose(null)
  const online = () => tell({ topic: 'everything' })
  const shown = () => document.visibilityState === 'visible' && tell({ topic: 'everything' })
  const poll = setInterval(() => {
    const isSilent = performance.now() - heardAt > silentMs
    const every = isSilent ? pollMs.withoutStream : pollMs.withStream
    if (document.visibilityState !== 'visible' || performance.now() - polledAt < every) return
    polledAt = performance.now()
    tell({ topic: 'everything' })
  }, pollMs.withoutStream)
  let polledAt = performance.now()
  const { signal } = ending
  window.addEventListener('offline', offline, { signal })
  window.addEventListener('online', online, { signal })
  document.addEventListener('visibilitychange', shown, { signal })
  if (!navigator.onLine) offline()
  return () => {
    ending.abort()
    clearInterval(poll)
    channel.close()
  }
}

/** Passes an event on. After `signed out` the fetch that follows is refused, and leads to the sign-in. */
function handle(event: LiveEvent): void {
  if (event.kind === 'beat') return
  if (event.kind === 'typing') {
    tell({ topic: 'writing', contactId: event.contactId })
    return
  }
  if (event.kind !== 'changes' || event.topics.includes('conversations')) {
    tell({ topic: 'everything' })
    return
  }
  for (const contactId of event.contactIds) tell({ topic: 'conversation', contactId })
  for (const topic of event.topics) if (topic !== 'conversations') tell({ topic })
}

/** Keeps a stream open until the signal, and opens another one whenever it ends: soon, then less and less often. */
async function holdStream(userId: string, signal: AbortSignal, onEvent: (event: LiveEvent) => void): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    const wasOpen = await streamOnce(userId, signal, onEvent)
    if (signal.aborted) return
    if (wasOpen) failures = 0
    else askWhetherSignedIn() // a stream does not tell why it was refused
    const waitMs = Math.min(longestRetryMs, 500 * 2 ** failures) * (0.75 + Math.random() / 2)
    lose(new Date(Date.now() + waitMs))
    await wait(waitMs, signal)
  }
}

/** Opens a stream once; resolves when it has ended, to whether it was open. */
function streamOnce(userId: string, signal: AbortSignal, onEvent: (event: LiveEvent) => void): Promise<boolean> {
  return new Promise((ended) => {
    const source = new EventSource(`/api/live?user=${encodeURIComponent(userId)}`)
    let isOpen = false
    let silence: ReturnType<typeof setTimeout> | undefined
    const end = () => {
      clearTimeout(silence)
      source.close()
      ended(isOpen)
    }
    const expectMore = () => {
      clearTimeout(silence)
      silence = setTimeout(end, silentMs)
    }
    expectMore()
    source.onmessage = ({ data }: MessageEvent<string>) => {
      isOpen = true
      expectMore()
      onEvent(JSON.parse(data))
    }
    source.onerror = end
    signal.addEventListener('abort', end, { once: true })
    window.addEventListener('online', () => !isOpen && end(), { once: true, signal })
  })
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms)
    const stop = () => {
      clearTimeout(timer)
      done()
    }
    signal.addEventListener('abort', stop, { once: true })
    window.addEventListener('online', stop, { once: true, signal })
  })
}
