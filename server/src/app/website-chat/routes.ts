import {
  type ChatEmail,
  type ChatError,
  type ChatMarks,
  type ChatPost,
  chatLimits,
} from '@patchbay/contract/chat/protocol.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { App } from '../../platform/http-app.ts'
import type { Log } from '../../platform/log.ts'
import type { Asking } from './entry/admit.ts'
import { acceptSmallJson, answerAsChat } from './entry/exchange.ts'
import type { AddressAction } from './limits/layers.ts'
import { EmailBody, MarksBody, PageQuery, PostBody, StreamQuery, UploadQuery } from './messages/post-schema.ts'
import type { WebsiteChat } from './website-chat.ts'

/** What answers is loaded with the first request, so that an installation without such a channel pays nothing for it. */
type Ctx = Readonly<{ load: () => Promise<WebsiteChat>; log: Log }>

/** What the routes have in common. */
type Entry = {
  open: () => Promise<WebsiteChat>
  /** Before the body is read. */
  admit: (action: AddressAction) => (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  askingOf: (request: FastifyRequest) => Asking
}

const jsonBytes = 16 * 1_024
const url = (path: string) => `/chat/:channelId/${path}`
const config = { isOfStrangers: true } as const
const hidden = { schema: { hide: true }, config }

/** What the chat on a shop's page asks. Everything that can be refused by the head of a request is, before its body is read. */
export function addWebsiteChat(app: App, { load, log }: Ctx): void {
  let loaded: Promise<WebsiteChat> | undefined
  const open = () => {
    loaded ??= load()
    return loaded
  }
  app.addHook('preClose', async () => (await loaded)?.end()) // closing waits for open responses
  const entry = openEntry(open)
  void app.register(async (scope) => {
    const chat = scope as App // it is the same app, within a scope
    answerAsChat(chat, log, (request, error) => void loaded?.then((one) => one.noteRefusal(request, error)))
    acceptSmallJson(chat)
    for (const path of ['messages', 'stream', 'files', 'marks', 'typing', 'email', 'forget'])
      addPreflight(chat, entry, path)
    addMessages(chat, entry)
    addStream(chat, entry)
    addSigns(chat, entry)
    void chat.register(async (files) => addFiles(files as App, entry))
  })
  app.get<{ Params: { name: string } }>('/chat/:name', hidden, async (request, reply) =>
    (await open()).serveScript(request.params.name, request, reply),
  )
  app.get<{ Params: { token: string } }>('/files/:token', hidden, async ({ params }, reply) =>
    (await open()).serveFile(params.token, reply),
  )
}

function openEntry(open: Entry['open']): Entry {
  const askings = new WeakMap<FastifyRequest, Asking>()
  return {
    open,
    admit: (action) => async (request, reply) => {
      const asking = await (await open()).admit(request, reply, action)
      if (asking) askings.set(request, asking)
    },
    askingOf: (request) => {
      const asking = askings.get(request)
      if (!asking) throw new Error('a request of a chat that was not admitted')
      return asking
    },
  }
}

/** What a browser may send from a page, and for how long it need not ask again. */
const preflight = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-max-age': '7200',
}

function addPreflight(chat: App, { admit }: Entry, path: string): void {
  chat.route({
    ...{ ...hidden, method: 'OPTIONS', url: url(path), onRequest: admit('read') },
    handler: async (_request, reply) => reply.code(204).headers(preflight).send(),
  })
}

function addMessages(chat: App, { open, admit, askingOf }: Entry): void {
  chat.post<{ Body: ChatPost }>(
    url('messages'),
    { config, bodyLimit: jsonBytes, schema: { hide: true, body: PostBody }, onRequest: admit('message') },
    async (request, reply) => {
      const { isCopy, ...posted } = await (await open()).post(askingOf(request), request.body)
      return reply.code(isCopy ? 200 : 201).send(posted)
    },
  )
  chat.get<{ Querystring: Static<typeof PageQuery> }>(
    url('messages'),
    { config, exposeHeadRoute: false, schema: { hide: true, querystring: PageQuery }, onRequest: admit('read') },
    async (request, reply) => {
      const { after, before } = request.query
      const part = { after: numberOf(after), before: numberOf(before) }
      const { page, pollAfter } = await (await open()).read(askingOf(request), part)
      reply.header('x-poll-after', pollAfter)
      return page ? reply.send(page) : reply.code(204).send()
    },
  )
}

const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text))

function addStream(chat: App, { open, admit, askingOf }: Entry): void {
  const full: ChatError = {
    error: 'RATE_LIMITED',
    reason: 'full',
    message: 'Too many chats are open; ask now and then.',
  }
  chat.get<{ Querystring: Static<typeof StreamQuery> }>(
    url('stream'),
    { config, exposeHeadRoute: false, schema: { hide: true, querystring: StreamQuery }, onRequest: admit('read') },
    async (request, reply) => {
      const isOpen = await (await open()).stream(askingOf(request), reply, numberOf(request.query.after) ?? 0)
      return isOpen ? reply : reply.code(503).header('retry-after', '60').send(full)
    },
  )
}

/** What is said of a chat beside messages. */
function addSigns(chat: App, { open, admit, askingOf }: Entry): void {
  const options = { config, bodyLimit: jsonBytes, onRequest: admit('read') }
  const marks = { ...options, schema: { hide: true, body: MarksBody } }
  chat.post<{ Body: ChatMarks }>(url('marks'), marks, async (request, reply) => {
    await (await open()).mark(askingOf(request), request.body)
    return reply.code(204).send()
  })
  chat.post(url('typing'), { ...options, schema: { hide: true } }, async (request, reply) => {
    const { tellTyping } = await open()
    tellTyping(askingOf(request))
    return reply.code(204).send()
  })
  const email = { ...options, schema: { hide: true, body: EmailBody } }
  chat.post<{ Body: ChatEmail }>(url('email'), email, async (request, reply) => {
    await (await open()).keepEmail(askingOf(request), request.body)
    return reply.code(204).send()
  })
  chat.post(url('forget'), { ...options, schema: { hide: true } }, async (request) =>
    (await open()).forget(askingOf(request)),
  )
}

/** Bytes, whatever they are called: what they are is looked at. */
function addFiles(chat: App, { open, admit, askingOf }: Entry): void {
  chat.removeAllContentTypeParsers()
  chat.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  chat.post<{ Querystring: Static<typeof UploadQuery>; Body: Buffer | undefined }>(
    url('files'),
    {
      config: { ...config, mayBeLarge: true },
      bodyLimit: chatLimits.fileBytes,
      schema: { hide: true, querystring: UploadQuery },
      onRequest: async (request, reply) => {
        await admit('file')(request, reply)
        const bytes = Number(request.headers['content-length'] ?? chatLimits.fileBytes)
        await (await open()).admitFile(askingOf(request), bytes)
      },
    },
    async (request) => {
      const file = { bytes: request.body ?? Buffer.alloc(0), fileName: request.query.name ?? '' }
      return (await open()).keepFile(askingOf(request), file)
    },
  )
}
