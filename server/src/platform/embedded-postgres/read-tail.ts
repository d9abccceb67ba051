import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const mostBytes = 65_536

/** The end of a log, from a position on; empty where there is none. Never more is read: a log may have gigabytes. */
export function readTail(file: string, from = 0): string {
  try {
    const handle = openSync(file, 'r')
    try {
      const { size } = fstatSync(handle)
      const start = Math.max(from, size - mostBytes)
      const tail = Buffer.alloc(Math.max(0, size - start))
      return tail.toString('utf8', 0, readSync(handle, tail, 0, tail.length, start))
    } finally {
      closeSync(handle)
    }
  } catch {
    return ''
  }
}
