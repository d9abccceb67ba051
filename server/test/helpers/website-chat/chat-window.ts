import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { ChatEvents, ChatMessage } from '@patchbay/contract/chat/protocol.ts'
import { until } from '../until.ts'

type ChatEvent = {
  [Name in keyof ChatEvents]: { name: Name; id: string | undefined; data: ChatEvents[Name] }
}[keyof ChatEvents]

/** An open panel that listens, on a connection of its own. */
export type ChatWindow = Disposable & {
  status: number
  headers: IncomingMessage['headers']
  events: ChatEvent[]
  /** Everything that came, as it came. */
  text: () => string
  messages: () => ChatMessage[]
  isOpen: () => boolean
  untilEvent: (name: keyof ChatEvents) => Promise<ChatEvent>
  untilTexts: (...texts: string[]) => Promise<void>
  untilEnded: () => Promise<void>
  /** Reads nothing more. */
  pause: () => void
}

export async function openWindow(
  { url, certificate }: { url: string; certificate: string },
  headers: Record<string, string>,
): Promise<ChatWindow> {
  const asked: ClientRequest = request(url, { ca: certificate, agent: false, headers })
  asked.on('error', () => {}) // the test sees that it is closed
  asked.end()
  const [response]: IncomingMessage[] = await once(asked, 'response')
  if (!response) throw new Error('no response')
  const events: ChatEvent[] = []
  let [text, rest, isOpen] = ['', '', true]
  response.setEncoding('utf8')
  response.on('data', (data: string) => {
    text += data
    const parts = (rest + data).split('\n\n')
    rest = parts.pop() ?? ''
    if (response.statusCode === 200) events.push(...parts.flatMap(readEvent))
  })
  response.on('error', () => {})
  response.once('close', () => {
    isOpen = false
  })
  const messages = () => events.flatMap((event) => (event.name === 'message' ? [event.data] : []))
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    text: () => text,
    messages,
    isOpen: () => isOpen,
    untilEvent: async (name) => {
      await until(() => events.some((event) => event.name === name), `no event ${name} came`)
      return events.find((event) => event.name === name) as ChatEvent // it was waited for
    },
    untilTexts: (...texts) =>
      until(
        () => texts.every((one) => messages().some((message) => message.text === one)),
        `not shown: ${texts.join()}`,
      ),
    untilEnded: () => until(() => !isOpen, 'the stream did not end'),
    pause: () => void response.pause(),
    [Symbol.dispose]: () => void asked.destroy(),
  }
}

function readEvent(part: string): ChatEvent[] {
  const lines = part.split('\n').filter((line) => line !== '' && !line.startsWith(':'))
  if (lines.length === 0) return []
  const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  return [{ name: field('event'), id: field('id'), data: JSON.parse(field('data') ?? 'null') } as ChatEvent]
}
