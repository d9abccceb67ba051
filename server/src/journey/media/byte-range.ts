import type { ByteRange } from './store.ts'

/**
 * The one range of bytes that a request asks for. Undefined: the whole file, which is also the answer to several ranges
 * and to a header that means nothing.
 */
export function readRange(header: string | undefined, sizeBytes: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes)
    return length === 0 ? 'unsatisfiable' : { from: sizeBytes - length, to: sizeBytes - 1 }
  }
  const [from, to] = [Number(first), last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1)]
  if (last !== '' && from > Number(last)) return undefined
  return from >= sizeBytes ? 'unsatisfiable' : { from, to }
}
