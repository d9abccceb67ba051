import { open } from 'node:fs/promises'
import { OperatorError } from '../../src/platform/operator-error.ts'

export const fileLimits = {
  /** A file of questions and answers. */
  knowledgeBytes: 32 * 1024 * 1024,
  /** A campaign. */
  campaignBytes: 1024 * 1024,
} as const

/**
 * The text of a file, or with `-` of standard input. Reads never more than the limit, also from a pipe or a device, whose
 * size is unknown. A file in another encoding is refused, not guessed.
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
      throw new OperatorError(`${path} is larger than ${mostBytes / 1024 / 1024} MiB, the limit for this file.`)
    }
    chunks.push(buffer.subarray(0, bytesRead))
  }
}

const chunkBytes = 64 * 1024

/** Spreadsheets write UTF-8 or, with a byte order mark, UTF-16; any other encoding would be decoded to wrong letters. */
function decode(path: string, bytes: Buffer): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new OperatorError(`${path} is not text in UTF-8; save it as UTF-8, such as "CSV UTF-8".`, { cause })
  }
}
