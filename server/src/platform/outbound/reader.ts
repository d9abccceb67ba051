import { type Answer, type Call, OutboundError } from './call.ts'

/** After the head, the body of an answer that may be cut only helps whoever reads the error: it gets this much time. */
const bodyWaitMs = 1000

/** Makes one answer of the parts that a client has parsed. What comes after its end, or after an error, is ignored. */
export type Reader = {
  answer: Promise<Answer>
  onHead: (status: number, headers: Answer['headers']) => void
  onData: (chunk: Buffer) => void
  onEnd: () => void
  onError: (error: unknown) => void
}

export function openReader({ mostBytes, whenLarger }: Call): Reader {
  const { promise: answer, resolve, reject } = Promise.withResolvers<Answer>()
  const mayCut = whenLarger === 'cut'
  const body = openBody()
  let head: Pick<Answer, 'status' | 'headers'> | undefined
  let isOver = false
  let limit: NodeJS.Timeout | undefined
  const finish = (error?: unknown): void => {
    if (isOver) return
    isOver = true
    clearTimeout(limit)
    if (head && error === undefined) resolve({ ...head, body: body.bytes().subarray(0, mostBytes) })
    else reject(error)
  }
  // Where the answer may be cut, the status is enough: whatever ends the body early, the part that was read counts.
  const fail = (error: unknown): void => finish(head && mayCut ? undefined : error)
  const limitBody = (): void => {
    if (!isOver) limit = setTimeout(finish, bodyWaitMs)
  }
  return {
    answer,
    onHead(status, headers) {
      head = { status, headers }
      if (mayCut)
        setImmediate(limitBody) // most answers have arrived completely
      else if (Number(headers['content-length']) > mostBytes) fail(tooLarge())
    },
    onData(chunk) {
      if (isOver) return
      const size = body.add(chunk)
      if (size > mostBytes || (mayCut && size === mostBytes)) fail(tooLarge())
    },
    onEnd: () => finish(),
    onError: fail,
  }
}

function tooLarge(): OutboundError {
  return new OutboundError('too_large', 'The answer of the host is too large.')
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
