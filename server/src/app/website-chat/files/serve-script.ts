import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OpenChannel } from '../../../journey/channels/open-channels.ts'
import { BoundedMap } from '../../../platform/collections.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { Log } from '../../../platform/log.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { takesBrotli } from '../../page/assets.ts'
import { type Chat, chatOf } from '../entry/chat.ts'
import type { Sightings } from '../entry/sightings.ts'
import { isOnPages, pageOf, readOrigin } from '../who/origin.ts'
import { hasBot } from './bot-store.ts'
import { type ChatFiles, findPanel, readChatFiles } from './chat-files.ts'
import { chatSettings } from './chat-settings.ts'
import { composeLoader } from './compose-loader.ts'

type Ctx = Readonly<{
  db: Db
  find: (id: string) => Promise<OpenChannel | undefined>
  sightings: Sightings
  /** Folders of builds, the newest first. */
  findBuilds: () => Promise<readonly string[]>
  log: Log
}>

/** Answers `/chat/<name>`: a channel's loader, or a panel in a language. */
export type ServeScript = (name: string, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Any page may load them, also one that takes nothing from others which does not say so. */
const headers = {
  'content-type': 'text/javascript; charset=utf-8',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  vary: 'accept-encoding',
}
const loaderCache = 'public, max-age=300, stale-while-revalidate=86400'

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)

export function openServeScript({ db, find, sightings, ...ctx }: Ctx): ServeScript {
  const load = openFiles(ctx)
  const readBot = openReadBot(db)
  const compressed = openCompressed()

  async function loaderOf(channel: OpenChannel, chat: Chat): Promise<Script> {
    const files = await load()
    const settings = chatSettings({
      ...{ row: channel.row, settings: chat.settings, panels: files.panels, now: Date.now() },
      hasBot: await readBot(channel.row),
    })
    return compressed(channel.row.id, composeLoader(settings, files.loader))
  }

  async function serveLoader(id: string, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    reply.headers({ ...headers, 'cache-control': loaderCache })
    const channel = await find(id)
    const chat = channel && chatOf(channel, Date.now())
    if (!channel || !chat) return reply.send('') // removed, or never there: nothing happens on the page
    noteWhere(sightings, chat, request.headers.referer)
    const { content, tag } = await loaderOf(channel, chat)
    reply.header('etag', tag)
    if (request.headers['if-none-match'] === tag) return reply.code(304).send()
    return send(content, request, reply)
  }

  return async (name, request, reply) => {
    const [, id] = /^(chn_[0-9a-z]+)\.js$/.exec(name) ?? []
    if (id !== undefined) return serveLoader(id, request, reply)
    const panel = findPanel(await load(), name)
    if (!panel) throw new Refusal('NOT_FOUND', 'There is nothing at this path.')
    reply.headers({
      ...headers,
      'cache-control': panel.isToday ? 'no-store' : 'public, max-age=31536000, immutable',
    })
    return send(panel.content, request, reply)
  }
}

const againMs = 10_000

/** The files of the newest build, read once. Where there is none it is looked again after a while: one may be made meanwhile. */
function openFiles({ findBuilds, log }: Pick<Ctx, 'findBuilds' | 'log'>): () => Promise<ChatFiles> {
  let [known, looking]: [ChatFiles | undefined, Promise<void> | undefined] = [undefined, undefined]
  let missedAt = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    known = await readChatFiles(await findBuilds())
    if (known) return
    missedAt = performance.now()
    log.error('pages get no chat: there is no build of it here; npm run build makes it')
  }

  return async () => {
    if (!known && performance.now() - missedAt > againMs) {
      looking ??= look().finally(() => {
        looking = undefined
      })
      await looking
    }
    if (!known) throw new Refusal('NOT_FOUND', 'This server has no build of the chat.')
    return known
  }
}

async function send(content: Buffer, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  if (!takesBrotli(request.headers['accept-encoding'])) return reply.send(await decompress(content))
  return reply.header('content-encoding', 'br').send(content)
}

/** The page that loads it says where it is, unless its policy keeps that to itself. */
function noteWhere(sightings: Sightings, { row, settings }: Chat, referer: string | undefined): void {
  const url = referer === undefined ? null : URL.parse(referer)
  const origin = url ? readOrigin(url.origin) : undefined
  if (!origin) return
  const on = { accountId: row.accountId, channelId: row.id }
  if (isOnPages(settings.pages, origin)) sightings.seen(on, pageOf(origin))
  else sightings.refused(on, `${origin.scheme}://${pageOf(origin)}`)
}

type Script = { content: Buffer; tag: string }

const mostKept = 1_000

/** As small as it gets, once for each content. */
function openCompressed(): (id: string, code: string) => Promise<Script> {
  const kept = new BoundedMap<string, { tag: string; script: Promise<Script> }>(mostKept)
  return (id, code) => {
    const tag = `"${hash('sha256', code).slice(0, 24)}"`
    const known = kept.get(id)
    if (known?.tag === tag) return known.script
    const script = compress(code).then((content) => ({ content, tag }))
    script.catch(() => kept.delete(id))
    kept.set(id, { tag, script })
    return script
  }
}

const botForMs = 30_000

/** Whether the account's bot answers, as it was half a minute ago at most. */
function openReadBot(db: Db): (row: Chat['row']) => Promise<boolean> {
  const kept = new BoundedMap<string, { until: number; isOn: Promise<boolean> }>(mostKept)
  return ({ accountId }) => {
    const known = kept.get(accountId)
    if (known && known.until > performance.now()) return known.isOn
    const isOn = hasBot(db, accountId)
    isOn.catch(() => kept.delete(accountId))
    kept.set(accountId, { until: performance.now() + botForMs, isOn })
    return isOn
  }
}
