import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type {
  ChatEvents,
  ChatLine,
  ChatMarks,
  ChatMessage,
  ChatPost,
  ChatSettings,
  ChatState,
} from '@patchbay/contract/chat/protocol.ts'
import { buildApp } from '../../../../server/src/app/page/build-app.ts'
import { composeLoader } from '../../../../server/src/app/website-chat/files/compose-loader.ts'

const chatId = 'chn_0123456789abcdefghjkmnpqrs'

/** What one visitor has written and was answered. */
type Thread = { messages: ChatMessage[]; lines: ChatLine[]; streams: Set<ServerResponse>; marks: ChatMarks }

/** An answer that is given in place of the right one; `cut`: none. */
type Instead = { status: number; reason?: string; retryAfter?: number } | 'cut'

export type FakeChat = Awaited<ReturnType<typeof openFakeChat>>

/**
 * Speaks the chat's protocol over real connections, and serves the real loader and panels: for what the real server cannot be made to
 * say, and for what is told at a moment of the test's choice. All else is tested with that (`startRealChat`).
 */
export async function openFakeChat() {
  const { folder } = await buildApp()
  const chat = join(folder, 'chat')
  const [loader, files] = await Promise.all([
    readFile(join(chat, 'loader.js'), 'utf8'),
    readFile(join(chat, 'files.json'), 'utf8').then((json) => JSON.parse(json)),
  ])
  const tls = join(process.env.PATCHBAY_TEST_DATA ?? '', 'tls')
  const [cert, key] = await Promise.all([readFile(join(tls, 'cert.pem')), readFile(join(tls, 'key.pem'))])
  const threads = new Map<string, Thread>()
  const fake = {
    settings: { ...usualSettings, panels: files.panels } as ChatSettings,
    state: { by: 'bot', name: null, isOpen: true, opensAt: null, mayAskEmail: false } as ChatState,
    posts: [] as ChatPost[],
    bearers: new Set<string>(),
    /** Of the next requests to a path such as `messages`, by method and path. */
    instead: new Map<string, Instead[]>(),
    seq: 0,
    isDown: false,
    thread: (bearer: string) => {
      const found = threads.get(bearer) ?? {
        messages: [],
        lines: [],
        streams: new Set(),
        marks: { delivered: 0, read: 0 },
      }
      threads.set(bearer, found)
      return found
    },
    all: () => [...threads.values()],
    tell: <Name extends keyof ChatEvents>(name: Name, data: ChatEvents[Name], id?: number) => {
      const lines = `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
      for (const { streams } of threads.values()) for (const stream of streams) stream.write(lines)
    },
    /** The shop answers, in all threads. */
    say: (message: Partial<ChatMessage>, isTold = true) => {
      for (const { messages, streams } of threads.values()) {
        fake.seq += 1
        const whole = { ...emptyMessage, at: Date.now(), ...message, seq: fake.seq }
        messages.push(whole)
        if (isTold)
          for (const stream of streams)
            stream.write(`id: ${whole.seq}\nevent: message\ndata: ${JSON.stringify(whole)}\n\n`)
      }
    },
    cut: () => {
      for (const { streams } of threads.values()) for (const stream of streams) stream.destroy()
    },
    streams: () => [...threads.values()].reduce((sum, { streams }) => sum + streams.size, 0),
  }
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'https://patchbay.test')
    const name = url.pathname.replace('/chat/', '')
    if (fake.isDown) return request.socket.destroy()
    if (name === `${chatId}.js`) return script(response, composeLoader(fake.settings, loader), 'max-age=300')
    if (url.pathname.startsWith('/files/')) return picture(response)
    if (name.startsWith('panel-')) return script(response, await readFile(join(chat, name), 'utf8'), 'immutable')
    response.setHeader('access-control-allow-origin', request.headers.origin ?? '')
    response.setHeader('access-control-allow-headers', 'authorization, content-type')
    response.setHeader('access-control-expose-headers', 'retry-after, x-poll-after')
    response.setHeader('access-control-max-age', '7200')
    if (request.method === 'OPTIONS') return response.writeHead(204).end()
    return await answer(fake, { request, response, url, path: name.replace(`${chatId}/`, '') })
  }
  const server = createServer({ cert, key }, (request, response) => void serve(request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const origin = `https://patchbay.test:${port}`
  return Object.assign(fake, {
    origin,
    line: `<script async src="${origin}/chat/${chatId}.js"></script>`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  })
}

const emptyMessage: ChatMessage = {
  ...{ seq: 0, at: 0, from: 'bot', name: null, text: '', id: null, choices: [], file: null },
}

const usualSettings: Omit<ChatSettings, 'panels'> = {
  id: chatId,
  origin: '',
  name: 'Kettle Lane Cycles',
  colour: '#00616E',
  scheme: 'auto',
  corner: 'right',
  keeps: 'year',
  isPaused: false,
  pages: [],
  takesFiles: true,
  tellsPage: true,
  asksEmail: true,
  members: 'off',
  deletes: 'ask',
  languages: ['en', 'de', 'fr', 'es', 'ar'],
  words: {
    en: {
      greeting: 'Hello. Ask about a repair, a bike or your order.',
      button: 'Chat with us',
      privacy: '',
      privacyUrl: null,
    },
    ar: { greeting: 'مرحبًا. اسأل عن إصلاح أو دراجة أو طلبك.', button: 'تحدث معنا', privacy: '', privacyUrl: null },
  },
  hours: null,
  hasBot: true,
}

type Exchange = { request: IncomingMessage; response: ServerResponse; url: URL; path: string }

async function answer(fake: Omit<FakeChat, 'origin' | 'line' | typeof Symbol.asyncDispose>, exchange: Exchange) {
  const { request, response, url, path } = exchange
  const send = (status: number, body?: unknown) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(body === undefined ? undefined : JSON.stringify(body))
  const body = request.method === 'POST' ? JSON.parse((await text(request)) || '{}') : undefined
  const instead = fake.instead.get(`${request.method} ${path}`)?.shift()
  if (instead === 'cut') return request.socket.destroy()
  if (instead) {
    if (instead.retryAfter !== undefined) response.setHeader('retry-after', String(instead.retryAfter))
    return send(instead.status, { error: 'X', message: 'refused', reason: instead.reason })
  }
  const bearer = String(request.headers.authorization).replace('Bearer ', '')
  fake.bearers.add(bearer)
  const thread = fake.thread(bearer)
  switch (`${request.method} ${path}`) {
    case 'POST messages': {
      const copy = thread.messages.find(({ id }) => id === body.id)
      if (copy) return send(200, { seq: copy.seq, at: copy.at, text: copy.text })
      fake.posts.push(body)
      fake.seq += 1
      const kept: ChatMessage = {
        ...emptyMessage,
        seq: fake.seq,
        at: Date.now(),
        from: 'visitor',
        text: body.text,
        id: body.id,
      }
      thread.messages.push(kept)
      for (const stream of thread.streams)
        stream.write(`id: ${kept.seq}\nevent: message\ndata: ${JSON.stringify(kept)}\n\n`)
      return send(201, { seq: kept.seq, at: kept.at, text: kept.text })
    }
    case 'GET messages':
      return send(...pageOf(fake, thread, url.searchParams))
    case 'GET stream':
      return stream(fake, { ...exchange, thread })
    case 'POST marks':
      thread.marks = body
      return send(204)
    case 'POST typing':
      return send(204)
    default:
      return send(404, { error: 'NOT_FOUND', message: 'nothing' })
  }
}

type Fake = Parameters<typeof answer>[0]

function pageOf(fake: Fake, { messages, lines, marks }: Thread, query: URLSearchParams): [number, unknown?] {
  const [after, before] = [Number(query.get('after') ?? 0), Number(query.get('before') ?? Number.POSITIVE_INFINITY)]
  const within = messages.filter(({ seq }) => seq > after && seq < before)
  const some = query.has('after') ? within.slice(0, 50) : within.slice(-50)
  if (some.length === 0 && messages.length === 0) return [204]
  const page = { installation: 'ins_1', messages: some, lines, state: fake.state, read: marks.read }
  return [
    200,
    {
      ...page,
      last: messages.at(-1)?.seq ?? 0,
      hasOlder: messages[0] !== undefined && (some[0]?.seq ?? 0) > messages[0].seq,
    },
  ]
}

function stream(fake: Fake, { request, response, url, thread }: Exchange & { thread: Thread }): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  const last = thread.messages.at(-1)?.seq ?? 0
  const hello = { installation: 'ins_1', state: fake.state, last }
  response.write(`event: hello\ndata: ${JSON.stringify(hello)}\n\n`)
  const after = Number(url.searchParams.get('after') ?? 0)
  for (const message of thread.messages.filter(({ seq }) => seq > after))
    response.write(`id: ${message.seq}\nevent: message\ndata: ${JSON.stringify(message)}\n\n`)
  thread.streams.add(response)
  request.once('close', () => thread.streams.delete(response))
  response.once('close', () => thread.streams.delete(response))
}

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

function picture(response: ServerResponse): void {
  response
    .writeHead(200, { 'content-type': 'image/png', 'cross-origin-resource-policy': 'cross-origin' })
    .end(Buffer.from(pixel, 'base64'))
}

function script(response: ServerResponse, code: string, cache: string): void {
  response
    .writeHead(200, {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': cache,
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    })
    .end(code)
}
