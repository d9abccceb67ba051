import { once } from 'node:events'
import { connect as connectPlain, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { openSender } from '../../common/sender.ts'
import { type Guest, newGuest, streamRequest, writeAsGuest } from '../../common/website-chat.ts'
import { serveOrders } from '../helper-process.ts'
import type { Target } from '../load/connection.ts'

/** What the runner asks of this process, one thing at a time. */
export type PanelOrder =
  /** So many visitors write for the first time. */
  | ({ ask: 'write'; channelId: string; guests: number } & Target)
  /** Each opens the panel. */
  | ({ ask: 'open' } & Target)
  | { ask: 'state' }
  /** Waits until all are open. `since`: when they could come back, in milliseconds since 1970. */
  | { ask: 'back'; since: number; withinMs: number }
  | { ask: 'close' }

/**
 * `comments`: what keeps a silent stream open. `shown`: of each reply, by its number. `refused`: answers that were no stream, by status.
 * `backAfterMs`: of each panel that came back.
 */
export type PanelState = {
  open: number
  comments: number
  shown: Record<string, Shown>
  refused: Record<string, number>
  backAfterMs: number[]
}

/** In milliseconds since 1970. `storedAt`: when the transaction began that stored the reply. */
type Shown = { storedAt: number; shownAt: number }

type Panel = { guest: Guest; socket: Socket | undefined; isOpen: boolean; openedAt: number; tries: number }

const openedAtOnce = 100
let panels: Panel[] = []
let target: Target
let isClosing = false
let [comments, since] = [0, 0]
const shown: Record<string, Shown> = {}
const refused: Record<string, number> = {}

serveOrders(carryOut)

async function carryOut(order: PanelOrder): Promise<PanelState> {
  if (order.ask === 'write') await writeFirst(order)
  if (order.ask === 'open') await openAll(order)
  if (order.ask === 'back') await untilBack(order)
  if (order.ask === 'close') closeAll()
  const back = panels.filter(({ isOpen, openedAt }) => isOpen && openedAt > since)
  const backAfterMs = since === 0 ? [] : back.map(({ openedAt }) => openedAt - since)
  return { open: panels.filter(({ isOpen }) => isOpen).length, comments, shown, refused, backAfterMs }
}

async function writeFirst({ channelId, guests, ...to }: Extract<PanelOrder, { ask: 'write' }>): Promise<void> {
  const sender = openSender(to)
  panels = Array.from({ length: guests }, (_, n) => ({
    ...{ guest: newGuest(channelId, n), socket: undefined, isOpen: false, openedAt: 0, tries: 0 },
  }))
  await eachOf(panels, 32, async ({ guest }) => {
    for (let tries = 0; tries < 20; tries += 1) {
      const { status } = await sender.send(writeAsGuest(guest, 'Hello'))
      if (status === 201) return
      if (status !== 429 && status !== 503) throw new Error(`a first message was answered with ${status}`)
      await sleep(3_000)
    }
    throw new Error('a first message was refused twenty times')
  })
}

async function openAll(order: Extract<PanelOrder, { ask: 'open' }>): Promise<void> {
  isClosing = false
  target = order
  await eachOf(panels, openedAtOnce, open)
}

async function eachOf<Item>(items: Item[], atOnce: number, work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of rest) await work(item)
    }),
  )
}

/** Resolves with the hello, or when there is none. */
async function open(panel: Panel): Promise<void> {
  const { port, certificate, isPlain } = target
  const socket = isPlain
    ? connectPlain(port, '127.0.0.1')
    : connect({ host: '127.0.0.1', port, ca: certificate, servername: 'localhost' })
  panel.socket = socket
  const over = Promise.withResolvers<void>()
  socket.on('error', () => {}) // `close` follows
  socket.once('data', (data: Buffer) => refuse(data, socket))
  socket.on('data', (data: Buffer) => {
    if (!panel.isOpen && data.includes('event: hello')) Object.assign(panel, { isOpen: true, openedAt: Date.now() })
    if (panel.isOpen) over.resolve()
    readEvents(data)
  })
  socket.once('close', () => {
    panel.isOpen = false
    over.resolve()
    if (!isClosing) void openAgain(panel)
  })
  const isConnected = once(socket, isPlain ? 'connect' : 'secureConnect').then(
    () => true,
    () => false,
  )
  if (await isConnected) socket.write(streamRequest(panel.guest, 0))
  await over.promise
  if (panel.isOpen) panel.tries = 0
}

/** One that was answered with something else than a stream. */
function refuse(data: Buffer, socket: Socket): void {
  const status = data.toString('latin1', 9, 12)
  if (status === '200') return
  refused[status] = (refused[status] ?? 0) + 1
  socket.destroy()
}

/** As panels do: a random time up to ten seconds, and longer each time it fails. */
async function openAgain(panel: Panel): Promise<void> {
  const most = Math.min(60_000, 10_000 * 2 ** panel.tries)
  panel.tries += 1
  await sleep(most * Math.random())
  if (!isClosing) await open(panel)
}

function readEvents(data: Buffer): void {
  if (data[0] === 0x3a || data.includes('\n:')) comments += 1
  const text = data.includes('"text":"Reply ') ? data.toString() : ''
  for (const [, at, n = ''] of text.matchAll(/"at":(\d+),"from":"person","text":"Reply (\d+)"/g)) {
    shown[n] ??= { storedAt: Number(at), shownAt: Date.now() }
  }
}

async function untilBack(order: Extract<PanelOrder, { ask: 'back' }>): Promise<void> {
  since = order.since
  const end = Date.now() + order.withinMs
  while (panels.some(({ isOpen }) => !isOpen) && Date.now() < end) await sleep(50)
}

function closeAll(): void {
  isClosing = true
  for (const { socket } of panels) socket?.destroy()
}
