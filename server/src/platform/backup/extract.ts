import { chown, type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunAs } from '../embedded-postgres/run-as.ts'
import type { Sink } from './read-base.ts'

/**
 * Writes the files of a backup into a folder, as the user that PostgreSQL runs as. They are not synced one by one:
 * PostgreSQL syncs its whole folder when it starts on one that was not shut down cleanly.
 */
export function extractTo(folder: string, owner: RunAs | undefined): Sink & AsyncDisposable {
  let file: FileHandle | undefined

  async function close(): Promise<void> {
    await file?.close()
    file = undefined
  }

  return {
    begin: async ({ path, kind }) => {
      await close()
      if (isLeftOut(path)) return
      const target = join(folder, path)
      if (kind === 'folder') {
        await mkdir(target, { recursive: true, mode: 0o700 })
        if (owner) await chown(target, owner.uid, owner.gid)
      } else {
        file = await open(target, 'wx', 0o600)
        if (owner) await file.chown(owner.uid, owner.gid)
      }
    },
    write: async (piece) => {
      await file?.writeFile(piece)
    },
    [Symbol.asyncDispose]: close,
  }
}

/** The lock file of a socket names a process that may be another one by now; and a copy begins a log of its own. */
function isLeftOut(path: string): boolean {
  return path.startsWith('.s.PGSQL.') || path === 'postmaster.pid' || path.startsWith('log/')
}
