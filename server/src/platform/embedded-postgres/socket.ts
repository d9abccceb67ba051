import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Paths of Unix sockets are limited to 108 bytes on Linux and 104 on macOS. */
const longestSocketPath = 100

export type SocketFolder = { path: string; [Symbol.dispose]: () => void }

/**
 * A path of `folder` that is short enough to connect through: itself, or a link to it in a private temporary folder.
 */
export function shortSocketFolder(folder: string): SocketFolder {
  if (Buffer.byteLength(join(folder, '.s.PGSQL.5432')) <= longestSocketPath) {
    return { path: folder, [Symbol.dispose]: () => {} }
  }
  const temporary = mkdtempSync('/tmp/patchbay-')
  const link = join(temporary, 'socket')
  symlinkSync(folder, link)
  return { path: link, [Symbol.dispose]: () => rmSync(temporary, { recursive: true, force: true }) }
}
