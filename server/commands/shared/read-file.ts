import { open } from 'node:fs/promises'
import { OperatorError } from '../../src/platform/operator-error.ts'

export const fileLimits = {
  /** Of questions and answers. */
  knowledgeBytes: 32 * 1024 * 1024,
  /** Of a campaign. */
  campaignBytes: 1024 * 1024,
} as const

/**
 * The text of a file that an operator names, or with `-` of standard input. Never more than the limit is read, also of a
 * pipe or a device, which do not say how much there is. A file that is not text is refused, not guessed at.
 */
export async function readTextFile(path: string, mostBytes: number): Promise<string> {
  const bytes = await readBytes(path, mostBytes).catch((cause) => {
    if (cause instanceof OperatorError) throw cause
    const isFolder = cause instanceof Error && 'code' in cause && cause.code === 'EISDIR'
    const reason = isFolder ? 'it is a folder; give the path of a file' : 'give the path of a file that you may read'
    throw new OperatorError(`Cannot read ${path}; ${reason}.`, { cause })
  })
  return decode(path, bytes)
}

export async function readJsonFile(path: string, mostBytes: number): Promise<unknown> {
  const text = await readTextFile(path, mostBytes)
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw new OperatorError(`${path} is not JSON: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

async function readBytes(path: string, mostBytes: number): Promise<Buffer> {
  await using file = await open(path === '-' ? '/dev/stdin' : path)
  const chunks: Buffer[] = []
  let size = 0
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, null)
    if (bytesRead === 0) return Buffer.concat(chunks)
    size += bytesRead
    if (size > mostBytes) {
      throw new OperatorError(`${path} is larger than ${mostBytes / 1024 / 1024} MiB, which is all that is read.`)
    }
    chunks.push(buffer.subarray(0, bytesRead))
  }
}

const chunkBytes = 64 * 1024

/** Spreadsheets write UTF-8 or, with a mark at the start, UTF-16; anything else would come out with other letters. */
function decode(path: string, bytes: Buffer): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new OperatorError(`${path} is not text in UTF-8; save it as UTF-8, such as "CSV UTF-8".`, { cause })
  }
}
