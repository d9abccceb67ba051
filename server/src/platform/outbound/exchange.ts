import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Agents } from './agents.ts'
import { type Answer, type Call, OutboundError } from './call.ts'
import { toOutboundError } from './to-outbound-error.ts'

/** After the head, the body of an answer that may be cut only helps whoever reads the error: it gets this much time. */
const bodyWaitMs = 1000

/** Sends one request and reads its answer. The connection is reused only if both were complete. */
export async function exchange(agents: Agents, target: URL, call: Call, signal: AbortSignal): Promise<Answer> {
  await nextTurn()
  signal.throwIfAborted()
  const request = agents.start(target, call, signal)
  try {
    return await answerTo(request, call, signal)
  } catch (error) {
    throw signal.aborted ? signal.reason : toOutboundError(error, 'connection_reset')
  } finally {
    request.destroy() // has no effect on a connection that is back in its agent
  }
}

let waiting: (() => void)[] = []

/**
 * An idle connection that was closed while the event loop was busy must not be used as if it were open. The first wait
 * ends the current turn of the event loop, and only the next turn polls the kernel. All requests of one turn wait
 * together.
 */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length > 1) return
    setImmediate(() => {
      const all = waiting
      waiting = []
      setImmediate(() => {
        for (const resume of all) resume()
      })
    })
  })
}

type Fail = (error: unknown) => void

/** Waits for the final answer; interim answers (1xx) are ignored, except 101, which would change the protocol. */
function answerTo(request: ClientRequest, call: Call, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let fail: Fail = reject
    request.on('error', (error) => fail(error))
    signal.addEventListener('abort', () => fail(signal.reason))
    request.on('upgrade', (_response, socket) => {
      socket.destroy()
      fail(new OutboundError('invalid_response', 'The host answered with another protocol.'))
    })
    request.on('response', (response) => {
      const { statusCode: status = 0, headers } = response
      const body = openBody()
      const finish = () => resolve({ status, headers, body: body.bytes().subarray(0, call.mostBytes) })
      // Where the answer may be cut, the status is enough: whatever ends the body early, the part that was read counts.
      if (call.whenLarger === 'cut') {
        fail = finish
        process.nextTick(() => limitBody(response, finish)) // most answers have arrived completely
      }
      response.on('end', finish)
      response.on('error', (error) => fail(error))
      collect(response, body, call, (error) => fail(error))
    })
  })
}

function limitBody(response: IncomingMessage, finish: () => void): void {
  if (response.complete) return
  const limit = setTimeout(finish, bodyWaitMs)
  response.on('close', () => clearTimeout(limit))
}

function collect(response: IncomingMessage, body: Body, call: Call, fail: Fail): void {
  const mayCut = call.whenLarger === 'cut'
  const tooLarge = () => new OutboundError('too_large', 'The answer of the host is too large.')
  response.on('data', (chunk: Buffer) => {
    const size = body.add(chunk)
    if (size > call.mostBytes || (mayCut && size === call.mostBytes)) fail(tooLarge())
  })
  if (!mayCut && Number(response.headers['content-length']) > call.mostBytes) fail(tooLarge())
}

type Body = { add: (chunk: Buffer) => number; bytes: () => Buffer }

/**
 * Copies chunks into one growing buffer; the first, which is mostly the only one, is not copied. The host decides how
 * small chunks are: kept separately, 10 MiB in chunks of one byte would take more than a gigabyte.
 */
function openBody(): Body {
  let buffer: Buffer = Buffer.alloc(0)
  let size = 0
  return {
    add: (chunk) => {
      const before = size
      size += chunk.length
      if (before === 0) buffer = chunk
      else {
        if (size > buffer.length) buffer = Buffer.concat([buffer.subarray(0, before)], 2 * size)
        chunk.copy(buffer, before)
      }
      return size
    },
    bytes: () => buffer.subarray(0, size),
  }
}
