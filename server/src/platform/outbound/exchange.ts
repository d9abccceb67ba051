import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Agents } from './agents.ts'
import type { Answer, Call } from './call.ts'
import { OutboundError } from './outbound-error.ts'
import { toOutboundError } from './to-outbound-error.ts'

/** Once the head is there, the rest of an answer that may be cut is a courtesy to whoever reads the error. */
const bodyWaitMs = 1000

/** Sends one request and reads its answer. The connection is kept only if both went through to their end. */
export async function exchange(agents: Agents, target: URL, call: Call, signal: AbortSignal): Promise<Answer> {
  await nextTurn()
  signal.throwIfAborted()
  const request = agents.start(target, call, signal)
  try {
    return await answerTo(request, call, signal)
  } catch (error) {
    throw signal.aborted ? signal.reason : toOutboundError(error, 'connection_reset')
  } finally {
    request.destroy() // without effect on a connection that its agent has taken back
  }
}

let waiting: (() => void)[] = []

/**
 * Idle connections that were closed while we were busy must not be taken for alive. The first wait ends the turn of the
 * event loop that we are in, and only the next turn asks the kernel. All that begin in one turn wait together.
 */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length > 1) return
    setImmediate(() => {
      const all = waiting
      waiting = []
      setImmediate(() => {
        for (const go of all) go()
      })
    })
  })
}

type Fail = (error: unknown) => void

/** Waits for the final answer; what is said before it (1xx) has no effect, but 101 would change the protocol. */
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
      const body = gather()
      const finish = () => resolve({ status, headers, body: body.bytes().subarray(0, call.mostBytes) })
      // Where the answer may be cut its head has decided: whatever ends the body early, what was read of it is enough.
      if (call.whenLarger === 'cut') {
        fail = finish
        process.nextTick(() => limitBody(response, finish)) // most answers are here as a whole
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

function collect(response: IncomingMessage, body: Gathered, call: Call, fail: Fail): void {
  const mayCut = call.whenLarger === 'cut'
  const tooLarge = () => new OutboundError('too_large', 'The answer of the host is too large.')
  response.on('data', (chunk: Buffer) => {
    const size = body.add(chunk)
    if (size > call.mostBytes || (mayCut && size === call.mostBytes)) fail(tooLarge())
  })
  if (!mayCut && Number(response.headers['content-length']) > call.mostBytes) fail(tooLarge())
}

type Gathered = { add: (chunk: Buffer) => number; bytes: () => Buffer }

/**
 * Copies chunks together as they come; the first, which is mostly the only one, stays as it is. The host decides how
 * small they are: kept apart, 10 MiB in chunks of one byte would take more than a gigabyte.
 */
function gather(): Gathered {
  let room: Buffer = Buffer.alloc(0)
  let size = 0
  return {
    add: (chunk) => {
      const before = size
      size += chunk.length
      if (before === 0) room = chunk
      else {
        if (size > room.length) room = Buffer.concat([room.subarray(0, before)], 2 * size)
        chunk.copy(room, before)
      }
      return size
    },
    bytes: () => room.subarray(0, size),
  }
}
