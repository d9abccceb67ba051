import type { Answer, Call } from './call.ts'
import { openReader } from './reader.ts'
import type { Sender } from './sender.ts'
import { toOutboundError } from './to-outbound-error.ts'

/** Sends one request and reads its answer. The connection is reused only if both were complete. */
export async function exchange(sender: Sender, target: URL, call: Call, signal: AbortSignal): Promise<Answer> {
  await nextTurn()
  signal.throwIfAborted()
  const reader = openReader(call)
  const end = sender.send({ target, call, signal }, reader)
  signal.addEventListener('abort', () => reader.onError(signal.reason))
  try {
    return await reader.answer
  } catch (error) {
    throw signal.aborted ? signal.reason : toOutboundError(error, 'connection_reset')
  } finally {
    end()
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
