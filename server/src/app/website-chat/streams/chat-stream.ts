import type { ChatEvents, ChatRefusal } from '@patchbay/contract/chat/protocol.ts'
import type { FastifyReply } from 'fastify'

/** One window that listens. */
export type ChatStream = {
  write: <Name extends keyof ChatEvents>(name: Name, data: ChatEvents[Name]) => void
  /** Says nothing, so that whoever is between us keeps the connection. */
  beat: () => void
  end: (why?: ChatRefusal) => void
}

/** Who reads nothing for so many bytes is cut off, comes again and goes on from the last number. */
const mostUnread = 64 * 1_024

/** Begins the answer; `onClose` is called once, whoever ends it, and never before this has returned. */
export function openChatStream(reply: FastifyReply, onClose: () => void): ChatStream {
  reply.hijack()
  const { raw } = reply
  if (raw.destroyed)
    queueMicrotask(onClose) // whoever asked has gone before this, and will not go again
  else raw.once('close', onClose)
  // Headers of hooks, such as those that let the page read it, are lost after `hijack` unless they are passed on.
  const headers = reply.getHeaders() as Record<string, string>
  raw.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  })
  const isOver = () => raw.writableEnded || raw.destroyed
  const send = (text: string) => {
    if (isOver()) return
    if (raw.writableLength > mostUnread) raw.destroy()
    else raw.write(text)
  }
  const write: ChatStream['write'] = (name, data) => {
    const id = name === 'message' && 'seq' in data ? `id: ${data.seq}\n` : ''
    send(`${id}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
  }
  return {
    write,
    beat: () => send(':\n\n'),
    end: (why) => {
      if (why) write('end', { why })
      if (!isOver()) raw.end()
    },
  }
}
