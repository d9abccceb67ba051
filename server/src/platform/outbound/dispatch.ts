import type { Answer, Call } from './call.ts'
import { type Connection, type Connections, closeConnection } from './connections.ts'
import type { Line } from './line.ts'
import type { Reader } from './reader.ts'

/**
 * Sends a request by undici. An answer that undici does not read to the end of its head, as it has an interim answer
 * (1xx) before it or is malformed, goes to `readAgain`. Returns what must be called when the answer is no longer needed.
 */
export function dispatch(
  connections: Connections,
  { target, call, signal }: { target: URL; call: Call; signal: AbortSignal },
  reader: Reader,
  readAgain: (line: Line) => void,
): () => void {
  const connection = connections.take(target, signal)
  let isComplete = false
  connection.client.dispatch(
    { method: call.method, path: target.pathname + target.search, headers: call.headers, body: call.body ?? null },
    {
      onRequestStart: () => connection.line?.expectAnswer(),
      onResponseStart(_controller, status, headers) {
        // Of these undici refuses 100 only; all go the same way, so that no more than one head is ever kept.
        if (status < 200) connection.line?.destroy()
        else {
          connection.line?.keepNoBytes()
          reader.onHead(status, joinRepeated(headers))
        }
      },
      onResponseData: (_controller, chunk) => reader.onData(chunk),
      onResponseEnd() {
        isComplete = true
        reader.onEnd()
      },
      onResponseError(_controller, error) {
        const line = takeLine(connection)
        if (line) readAgain(line)
        else reader.onError(isParserError(error) ? withoutBytes(error, connection) : error)
      },
    },
  )
  return () => {
    if (isComplete) connections.giveBack(connection, target.origin)
    else closeConnection(connection)
  }
}

/** Headers that have one value: of several, `node:http` takes the first. */
const single = new Set(['age', 'content-type', 'etag', 'expires', 'last-modified', 'location', 'retry-after', 'server'])

/** Headers that came more than once, as `node:http` returns them. */
function joinRepeated(headers: Answer['headers']): Answer['headers'] {
  for (const [name, value] of Object.entries(headers)) {
    if (Array.isArray(value) && name !== 'set-cookie') headers[name] = single.has(name) ? value[0] : value.join(', ')
  }
  return headers
}

/** The line of an answer that undici gave up, which is no longer the connection's. */
function takeLine(connection: Connection): Line | undefined {
  const line = connection.line?.again()
  if (line) connection.line = undefined
  return line
}

function isParserError({ name }: Error): boolean {
  return name === 'HTTPParserError'
}

/** The parser's error as `node:http` would have it: with a code, which undici leaves out, and no byte of the answer. */
function withoutBytes({ message }: Error, { line }: Connection): Error {
  return Object.assign(new Error(message), { code: line?.readableEnded ? 'HPE_INVALID_EOF_STATE' : 'HPE_INVALID' })
}
