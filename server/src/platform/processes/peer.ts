import type { ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'

/** One end of the channel between the supervisor and a serving process. */
export type Peer = {
  /** Nobody answers. A socket goes over to the other process. */
  tell: (subject: string, value?: unknown, socket?: Socket) => void
  /** The other end is of the same version, so the type of its answer is known. Rejects when none comes in time. */
  ask: <Answer>(subject: string, value: unknown, withinMs: number) => Promise<Answer>
  /** What the handler returns is the answer to who asked. */
  on: (subject: string, handle: Handle) => void
}

type Handle = (value: unknown, socket: Socket | undefined) => unknown
type Channel = Pick<ChildProcess, 'connected'> & {
  send?: (message: Message, socket?: Socket, callback?: (error: Error | null) => void) => boolean
  on: (event: string, listener: (...given: unknown[]) => void) => unknown
}

/** `id`: an answer is expected. Without a subject it is the answer. */
type Message = { subject?: string; id?: number; value?: unknown; problem?: string }

/** The process itself in a serving process, and the child in the supervisor. */
export function openPeer(channel: ChildProcess | NodeJS.Process): Peer {
  const { send, handlers, pending } = attach(channel as Channel) // both have these methods, declared differently
  let lastId = 0
  return {
    tell: (subject, value, socket) => send({ subject, value }, socket),
    on: (subject, handle) => void handlers.set(subject, handle),
    ask: async <Answer>(subject: string, value: unknown, withinMs: number) => {
      lastId += 1
      const id = lastId
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const timer = setTimeout(() => reject(new Error(`no answer to "${subject}" in time`)), withinMs)
      pending.set(id, { resolve, reject })
      send({ subject, id, value })
      try {
        return (await promise) as Answer
      } finally {
        clearTimeout(timer)
        pending.delete(id)
      }
    },
  }
}

function attach(channel: Channel) {
  const handlers = new Map<string, Handle>()
  const pending = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()

  /** What cannot be sent is dropped: the other process has ended, or is about to. */
  function send(message: Message, socket?: Socket): void {
    if (channel.connected) channel.send?.(message, socket, (error) => void (error && socket?.destroy()))
    else socket?.destroy()
  }

  async function answer(id: number, given: () => unknown): Promise<void> {
    try {
      send({ id, value: await given() })
    } catch (error) {
      send({ id, problem: error instanceof Error ? error.message : String(error) })
    }
  }

  channel.on('message', (message, socket) => {
    const { subject, id, value, problem } = message as Message // only the other end of this module sends any
    if (subject === undefined) {
      const asked = pending.get(id ?? 0)
      if (problem === undefined) asked?.resolve(value)
      else asked?.reject(new Error(problem))
      return
    }
    const handle = handlers.get(subject)
    const handed = socket instanceof Socket ? socket : undefined
    if (id !== undefined) void answer(id, () => handle?.(value, handed))
    else if (handle) handle(value, handed)
    else handed?.destroy()
  })
  return { send, handlers, pending }
}
