import type { ChatPage, ChatRefusal } from '@patchbay/contract/chat/protocol.ts'
import { isRefused } from '../page/request.ts'
import { openEventReader } from './read-events.ts'
import type { FollowEvent, Followed } from './source.ts'

const followTimes = {
  helloMs: 5_000,
  /** Two failures within it: what is between us lets no stream through. */
  twiceMs: 10_000,
  silenceMs: 60_000,
  /** After the first failure; the next waits are twice as long each. */
  againMs: 10_000,
  longestMs: 60_000,
  /** How long it is polled before a stream is tried again. */
  pollForMs: 300_000,
  refusedMs: 60_000,
}

type Connection = {
  open: (after: number, signal: AbortSignal) => Promise<Response>
  /** What came after a number, and when to ask again. */
  poll: (after: number, signal: AbortSignal) => Promise<{ page: ChatPage | null; againMs: number }>
  /** Between 0 and 1. */
  random: () => number
}

/** Reads the stream for as long as nobody stops it; where none comes through, asks again and again. */
export function follow(connection: Connection, on: Followed): () => void {
  const stop = new AbortController()
  void keepFollowing(connection, on, stop.signal)
  return () => stop.abort()
}

async function keepFollowing(connection: Connection, on: Followed, stop: AbortSignal): Promise<void> {
  const { twiceMs, againMs, longestMs, refusedMs } = followTimes
  let failedAt = Number.NEGATIVE_INFINITY
  let waitMs = againMs
  while (!stop.aborted) {
    // Of who has no chat yet there is no stream.
    const end: End = on.after() === 0 ? { is: 'cut', hadHello: false } : await readStream(connection, on, stop)
    if (stop.aborted || end.is === 'ended') return
    if (end.is === 'refused') {
      on.refused(end.error)
      await pause(Math.max(refusedMs, end.error.againMs ?? 0), stop)
      continue
    }
    if (end.hadHello) waitMs = againMs
    const isUseless = !end.hadHello || Date.now() - failedAt < twiceMs
    failedAt = Date.now()
    if (isUseless && (await pollFor(connection, on, stop))) continue
    await pause(connection.random() * waitMs, stop)
    waitMs = Math.min(longestMs, waitMs * 2)
  }
}

type End =
  | { is: 'cut'; hadHello: boolean }
  | { is: 'refused'; error: Error & { againMs: number | undefined } }
  /** By the server, for good. */
  | { is: 'ended' }

const forGood: readonly unknown[] = [
  'ended',
  'closed',
  'gone',
  'identity_expired',
  'identity_refused',
] satisfies ChatRefusal[]

async function readStream({ open }: Connection, on: Followed, stop: AbortSignal): Promise<End> {
  const cut = new AbortController()
  const end = () => cut.abort()
  stop.addEventListener('abort', end)
  let hadHello = false
  let timer = setTimeout(end, followTimes.helloMs)
  const heard = () => {
    clearTimeout(timer)
    timer = setTimeout(end, hadHello ? followTimes.silenceMs : followTimes.helloMs)
  }
  try {
    const response = await open(on.after(), cut.signal)
    for await (const event of eventsOf(response, () => hadHello && heard())) {
      if (stop.aborted) break
      if (event.name === 'hello') {
        hadHello = true
        heard()
        on.reached(true)
      }
      on.event(event)
      if (event.name === 'end' && forGood.includes(event.data.why)) return { is: 'ended' }
      // Too many windows: this one asks now and then, or it would take the place of another, and that one its again.
      if (event.name === 'end' && event.data.why === 'full') return { is: 'cut', hadHello: false }
    }
  } catch (error) {
    if (isRefused(error) && error.status < 500 && error.status !== 429) return { is: 'refused', error }
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', end)
    end()
  }
  return { is: 'cut', hadHello }
}

async function* eventsOf(response: Response, heard: () => void): AsyncGenerator<FollowEvent> {
  const reader = response.body?.getReader()
  const read = openEventReader()
  const decoder = new TextDecoder()
  while (reader) {
    const { done, value } = await reader.read()
    if (done) return
    heard()
    for (const { name, data } of read(decoder.decode(value, { stream: true })))
      yield { name, data: JSON.parse(data) } as FollowEvent
  }
}

/** Returns whether anything was answered: then the stream is worth another try. */
async function pollFor({ poll }: Connection, on: Followed, stop: AbortSignal): Promise<boolean> {
  const until = Date.now() + followTimes.pollForMs
  const hadChat = on.after() > 0
  let isReached = false
  while (!stop.aborted && Date.now() < until && on.after() > 0 === hadChat) {
    try {
      const { page, againMs } = await poll(on.after(), stop)
      if (stop.aborted) return true
      isReached = true
      on.reached(true)
      if (page) on.page(page)
      await pause(againMs, stop)
    } catch (error) {
      if (stop.aborted) return true
      if (isRefused(error)) {
        on.refused(error)
        await pause(error.againMs ?? followTimes.refusedMs, stop)
        isReached = true
        continue
      }
      on.reached(false)
      return isReached
    }
  }
  return isReached
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (stop.aborted) return done()
    const end = () => {
      clearTimeout(timer)
      stop.removeEventListener('abort', end)
      done()
    }
    const timer = setTimeout(end, ms)
    stop.addEventListener('abort', end)
  })
}
