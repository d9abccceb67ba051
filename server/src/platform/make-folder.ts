import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Makes a folder and those above it. Not with `recursive`, which never returns where none can be made, as in /proc. */
export async function makeFolder(folder: string, mode: number): Promise<void> {
  if ((await stat(folder).catch(() => undefined))?.isDirectory()) return
  if (folder !== dirname(folder)) await makeFolder(dirname(folder), mode)
  await mkdir(folder, { mode })
}
