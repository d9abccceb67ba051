import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { LiveEvent } from '@patchbay/contract/app/live.ts'
import { until } from './until.ts'

/** A browser's stream, on a connection of its own. */
export type LiveStream = {
  status: number
  headers: IncomingMessage['headers']
  /** Of an answer that is no stream. */
  text: () => string
  events: LiveEvent[]
  isOpen: () => boolean
  /** What was announced so far, since the last `forget`. */
  announced: () => Set<string>
  forget: () => void
  /** Waits until all of these were announced. */
  untilAnnounced: (...changed: string[]) => Promise<void>
  hellos: () => number
  untilEnded: () => Promise<void>
  [Symbol.dispose]: () => void
}

type Target = { url: string; certificate?: string }

/** Opens the stream with the cookie of somebody who is signed in, and waits for its hello if it is one. */
export async function openLive({ url, certificate }: Target, cookie: string): Promise<LiveStream> {
  const trust = certificate === undefined ? { rejectUnauthorized: false } : { ca: certificate }
  const asked: ClientRequest = request(`${url}/api/live`, { ...trust, agent: false, headers: { cookie } })
  asked.on('error', () => {}) // the test sees that it is closed
  asked.end()
  const [response]: IncomingMessage[] = await once(asked, 'response')
  if (!response) throw new Error('no response')
  const events: LiveEvent[] = []
  let text = ''
  let isOpen = true
  let seen = 0
  response.setEncoding('utf8')
  response.on('data', (data: string) => {
    text += data
    if (response.statusCode !== 200) return
    const parts = text.split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts) events.push(JSON.parse(part.slice('data: '.length)))
  })
  response.on('error', () => {})
  response.once('close', () => {
    isOpen = false
  })
  const announced = () =>
    new Set(
      events.slice(seen).flatMap((event) => (event.kind === 'changes' ? [...event.contactIds, ...event.topics] : [])),
    )
  const hellos = () => events.filter(({ kind }) => kind === 'hello').length
  if (response.statusCode === 200) await until(() => hellos() > 0, 'no hello came')
  else await until(() => !isOpen, 'the refusal did not end')
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    events,
    isOpen: () => isOpen,
    announced,
    forget: () => {
      seen = events.length
    },
    untilAnnounced: (...changed) =>
      until(() => changed.every((one) => announced().has(one)), `not announced: ${changed.join(', ')}`),
    hellos,
    untilEnded: () => until(() => !isOpen, 'the stream did not end'),
    [Symbol.dispose]: () => void asked.destroy(),
  }
}
