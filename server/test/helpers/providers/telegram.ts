import type { ServerResponse } from 'node:http'
import type { InlineKeyboardMarkup, Message, Update, UserFromGetMe } from '@grammyjs/types'
import { markOfTokens } from '../no-secrets.ts'
import { type Received, startReceiver } from '../receivers.ts'
import { until } from '../until.ts'
import { type Faults, openFaults, type Result, refuse, send } from './telegram-faults.ts'
import { openHook, type TelegramHook } from './telegram-hook.ts'
import { openUpdates, type Updates } from './telegram-updates.ts'

/** A request that the double got, and when. */
type BotCall = { at: number; method: string; token: string; parameters: Record<string, string>; file?: File }

export type TelegramDouble = AsyncDisposable & {
  /** For `CHANNEL_ORIGINS`. */
  origin: string
  calls: BotCall[]
  addBot: (username?: string) => Bot
  /** The next requests of this method get this; `isDone`: a message is sent all the same. Returns what ends it early. */
  plan: Faults['plan']
  /** From now on no connection is taken, until it comes back at the same address. */
  goAway: () => Promise<void>
  comeBack: () => Promise<void>
}

export type Bot = {
  token: string
  me: UserFromGetMe
  updates: Updates
  hook: TelegramHook
  /** A person with a private chat with the bot. */
  addPerson: (names?: { first_name?: string; last_name?: string; username?: string }) => Person
  /** From now on the token is unknown. */
  revoke: () => void
  /** @BotFather gives another token for the same bot. */
  renew: () => string
}

export type Shown = {
  id: number
  text: string
  method: string
  markup: InlineKeyboardMarkup | undefined
  file: File | undefined
}

export type Person = {
  chatId: number
  /** What the bot sent them, in order. */
  shown: Shown[]
  write: (text: string, extra?: object) => number
  send: (content: object) => number
  edit: (messageId: number, text: string) => void
  tap: (message: Shown, data: string) => void
  react: (messageId: number, emoji: string | null) => void
  /** With `false` the bot is not told. */
  block: (isTold?: boolean) => void
  unblock: () => void
}

type PersonState = Person & { isBlocked: boolean; nextId: () => number }
type BotState = Bot & { people: Map<number, PersonState>; isRevoked: boolean; files: Map<string, Buffer> }

/** Of doubles that have ended. The next one takes the same, so that a server of the app that knows it can be shared. */
const ports: number[] = []

/**
 * A server that behaves like Telegram's Bot API, as far as its documentation says how that behaves. `atNewAddress`: for a client
 * that would go on with a connection to the one before.
 */
export async function startTelegram({ atNewAddress = false } = {}): Promise<TelegramDouble> {
  const [bots, calls, faults]: [Map<string, BotState>, BotCall[], Faults] = [new Map(), [], openFaults()]
  const answerTo = async (request: Received, response: ServerResponse) => {
    const [, kind, token = '', rest = ''] = /^\/(file\/)?bot([^/]+)\/([^?]+)/.exec(request.path) ?? []
    const bot = bots.get(token)
    if (!bot || bot.isRevoked) return refuse(response, 401, 'Unauthorized')
    if (kind) return sendFile(response, bot.files.get(rest))
    const call = await readCall(request, token, rest)
    calls.push(call)
    const planned = faults.next(rest, token)
    if (planned && !planned.isDone) return void planned.fault(response)
    const answer = await act(bot, call, response)
    if (planned) planned.fault(response, () => send(response, answer))
    else send(response, answer)
  }
  let http = await startReceiver(answerTo, { port: (atNewAddress ? undefined : ports.pop()) ?? 0 }).catch(() =>
    startReceiver(answerTo),
  )
  const { port, url } = http
  return {
    origin: url.replace(/\/$/, ''),
    calls,
    addBot: (username) => addBot(bots, username),
    plan: faults.plan,
    goAway: async () => http[Symbol.asyncDispose](),
    comeBack: async () => {
      http = await startReceiver(answerTo, { port })
    },
    async [Symbol.asyncDispose]() {
      for (const bot of bots.values()) bot.hook.stop()
      await http[Symbol.asyncDispose]()
      ports.push(port)
    },
  }
}

let made = 0

function addBot(bots: Map<string, BotState>, username = `shop${made + 1}_bot`): BotState {
  made += 1
  const id = 700_000_000 + made
  const newToken = () => `${id}:${markOfTokens}_${crypto.randomUUID().replaceAll('-', '')}`
  const updates = openUpdates()
  const me = {
    ...{ id, is_bot: true as const, first_name: 'The shop', username },
    ...{ can_join_groups: true, can_read_all_group_messages: false, supports_inline_queries: false },
    ...{ can_connect_to_business: false, has_main_web_app: false },
  } as UserFromGetMe // newer fields are left out, as an older server would
  const bot: BotState = {
    ...{
      token: newToken(),
      me,
      updates,
      hook: openHook(updates),
      people: new Map(),
      isRevoked: false,
      files: new Map(),
    },
    addPerson: (names) => addPerson(bot, names),
    revoke: () => {
      bot.isRevoked = true
    },
    renew: () => {
      bots.delete(bot.token)
      bot.token = newToken()
      bot.isRevoked = false
      bots.set(bot.token, bot)
      return bot.token
    },
  }
  bots.set(bot.token, bot)
  return bot
}

const now = () => Math.floor(Date.now() / 1_000)

function addPerson(bot: BotState, names: Parameters<Bot['addPerson']>[0] = {}): Person {
  made += 1
  const chatId = 5_000_000_000 + made
  const user = { id: chatId, is_bot: false, first_name: 'Ana', language_code: 'en', ...names }
  const chat = { id: chatId, type: 'private' as const, first_name: user.first_name }
  let lastId = 0
  const nextId = () => {
    lastId += 1
    return lastId
  }
  const put = (update: object) => bot.updates.add(update as Omit<Update, 'update_id'>) // a test may send what no type knows
  const send = (content: object) => {
    const id = nextId()
    put({ message: { message_id: id, from: user, chat, date: now(), ...content } })
    return id
  }
  const membership = (status: string) =>
    put({
      my_chat_member: { chat, from: user, date: now(), old_chat_member: {}, new_chat_member: { user: bot.me, status } },
    })
  const person = {
    ...{ chatId, shown: [] as Shown[], isBlocked: false, nextId, send },
    write: (text: string, extra = {}) => send({ text, ...extra }),
    edit: (id: number, text: string) =>
      put({ edited_message: { message_id: id, from: user, chat, date: now(), edit_date: now(), text } }),
    tap: ({ id, text, markup }: Shown, data: string) => {
      const message = { message_id: id, chat, date: now(), text, reply_markup: markup }
      put({ callback_query: { id: `${chatId}${nextId()}`, from: user, chat_instance: '1', message, data } })
    },
    react: (id: number, emoji: string | null) => {
      const reactions = emoji === null ? [] : [{ type: 'emoji', emoji }]
      const about = { chat, message_id: id, user, date: now(), old_reaction: [], new_reaction: reactions }
      put({ message_reaction: about })
    },
    block: (isTold = true) => {
      person.isBlocked = true
      if (isTold) membership('kicked')
    },
    unblock: () => {
      person.isBlocked = false
      membership('member')
    },
  }
  bot.people.set(chatId, person)
  return person
}

async function readCall(request: Received, token: string, method: string): Promise<BotCall> {
  const type = String(request.headers['content-type'] ?? '')
  if (!type.startsWith('multipart/')) {
    const body = request.body.length === 0 ? {} : JSON.parse(request.body.toString())
    const texts = Object.entries(body).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ])
    return { at: Date.now(), method, token, parameters: Object.fromEntries(texts) }
  }
  const form = await new Response(new Uint8Array(request.body), { headers: { 'content-type': type } }).formData()
  const parameters: Record<string, string> = {}
  let file: File | undefined
  for (const [name, value] of form) {
    if (typeof value === 'string') parameters[name] = value
    else file = value
  }
  return { at: Date.now(), method, token, parameters, ...(file && { file }) }
}

const ok = (result: unknown): Result => ({ ok: true, result })
const no = (error_code: number, description: string): Result => ({ ok: false, error_code, description })

async function act(bot: BotState, call: BotCall, response: ServerResponse): Promise<Result> {
  const { method, parameters } = call
  if (method.startsWith('send') && method !== 'sendChatAction') return sendTo(bot, call)
  switch (method) {
    case 'getMe':
      return ok(bot.me)
    case 'getUpdates':
      return getUpdates(bot, parameters, response)
    case 'setWebhook':
      bot.hook.set(parameters)
      return ok(true)
    case 'deleteWebhook':
      bot.hook.remove()
      return ok(true)
    case 'getWebhookInfo':
      return ok({ ...bot.hook.info(), pending_update_count: bot.updates.waiting().length })
    case 'getFile': {
      const path = `documents/${parameters.file_id}`
      if (!bot.files.has(path)) return no(400, 'Bad Request: wrong file_id or the file is temporarily unavailable')
      return ok({ file_id: parameters.file_id, file_unique_id: 'u', file_path: path })
    }
    case 'sendChatAction':
    case 'answerCallbackQuery':
      return ok(true)
    default:
      return no(404, 'Not Found')
  }
}

async function getUpdates(bot: BotState, parameters: BotCall['parameters'], response: ServerResponse) {
  const conflict =
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
  if (bot.hook.info().url !== '') return no(409, conflict)
  const closed = new Promise<void>((resolve) => response.on('close', resolve))
  const updates = await bot.updates.poll({
    offset: Number(parameters.offset ?? 0),
    limit: Number(parameters.limit ?? 100),
    seconds: Number(parameters.timeout ?? 0),
    closed,
  })
  if (updates) return ok(updates)
  return no(409, 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running')
}

const mostUnits = 4_096

function sendTo(bot: BotState, { method, parameters, file }: BotCall): Result {
  const person = bot.people.get(Number(parameters.chat_id))
  if (!person) return no(400, 'Bad Request: chat not found')
  if (person.isBlocked) return no(403, 'Forbidden: bot was blocked by the user')
  const text = parameters.text ?? parameters.caption ?? ''
  if (method === 'sendMessage' && text === '') return no(400, 'Bad Request: message text is empty')
  if (text.length > mostUnits) return no(400, 'Bad Request: message is too long')
  if (method !== 'sendMessage' && !file) return no(400, 'Bad Request: there is no file in the request')
  const markup: InlineKeyboardMarkup | undefined = parameters.reply_markup && JSON.parse(parameters.reply_markup)
  const id = person.nextId()
  person.shown.push({ id, text, method, markup, file })
  const chat = { id: person.chatId, type: 'private' as const, first_name: 'Ana' }
  return ok({ message_id: id, from: bot.me, chat, date: now(), text } satisfies Partial<Message>)
}

/** Puts a file where the bot can fetch it; returns what a message names it by. */
export function putFile(
  bot: Bot,
  name: string,
  bytes: Buffer,
): { file_id: string; file_unique_id: string; file_size: number } {
  const { files } = bot as BotState // made by `addBot` alone
  files.set(`documents/${name}`, bytes)
  return { file_id: name, file_unique_id: name, file_size: bytes.length }
}

function sendFile(response: ServerResponse, bytes: Buffer | undefined): void {
  if (!bytes) return void refuse(response, 404, 'Not Found')
  response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(bytes)
}

/** Waits until the person's phone shows so many messages. */
export async function untilShown(person: Person, count: number): Promise<Shown[]> {
  await until(() => person.shown.length >= count, `not ${count} messages were shown`)
  return person.shown
}
