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
  /** Each opens the panel; `isTls`: otherwise as a proxy does that has ended TLS. */
  | ({ ask: 'open'; isTls: boolean } & Target)
  | { ask: 'state' }
  /** Waits until all are open. */
  | { ask: 'back'; withinMs: number }
  | { ask: 'close' }

/** `comments`: what keeps a silent stream open. `shownAt`: of each reply, by its number, in milliseconds since 1970. */
export type PanelState = { open: number; comments: number; shownAt: Record<string, number> }

type Panel = { guest: Guest; socket: Socket | undefined; isOpen: boolean; tries: number }

const openedAtOnce = 100
let panels: Panel[] = []
let target: Target & { isTls: boolean }
let isClosing = false
let comments = 0
const shownAt: Record<string, number> = {}

serveOrders(carryOut)

async function carryOut(order: PanelOrder): Promise<PanelState> {
  if (order.ask === 'write') await writeFirst(order)
  if (order.ask === 'open') await openAll(order)
  if (order.ask === 'back') await untilBack(order.withinMs)
  if (order.ask === 'close') closeAll()
  return { open: panels.filter(({ isOpen }) => isOpen).length, comments, shownAt }
}

async function writeFirst({ channelId, guests, ...to }: Extract<PanelOrder, { ask: 'write' }>): Promise<void> {
  const sender = openSender(to)
  panels = Array.from({ length: guests }, (_, n) => ({
    ...{ guest: newGuest(channelId, n), socket: undefined, isOpen: false, tries: 0 },
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
  const { port, certificate, isTls } = target
  const socket = isTls
    ? connect({ host: '127.0.0.1', port, ca: certificate, servername: 'localhost' })
    : connectPlain(port, '127.0.0.1')
  panel.socket = socket
  const over = Promise.withResolvers<void>()
  socket.on('error', () => {}) // `close` follows
  socket.on('data', (data: Buffer) => {
    if (!panel.isOpen) panel.isOpen = data.includes('event: hello')
    if (panel.isOpen) over.resolve()
    readEvents(data)
  })
  socket.once('close', () => {
    panel.isOpen = false
    over.resolve()
    if (!isClosing) void openAgain(panel)
  })
  const isConnected = once(socket, isTls ? 'secureConnect' : 'connect').then(
    () => true,
    () => false,
  )
  if (await isConnected) socket.write(streamRequest(panel.guest, 0))
  await over.promise
  if (panel.isOpen) panel.tries = 0
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
  const text = data.includes('Reply ') ? data.toString() : ''
  for (const [, n = ''] of text.matchAll(/"text":"Reply (\d+)"/g)) shownAt[n] ??= Date.now()
}

async function untilBack(withinMs: number): Promise<void> {
  const end = Date.now() + withinMs
  while (panels.some(({ isOpen }) => !isOpen) && Date.now() < end) await sleep(50)
}

function closeAll(): void {
  isClosing = true
  for (const { socket } of panels) socket?.destroy()
}
