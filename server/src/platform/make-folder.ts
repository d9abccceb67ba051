import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Makes a folder and those above it. Not with `recursive`, which never returns where none can be made, as in /proc. */
export async function makeFolder(folder: string, mode: number): Promise<void> {
  if (await isFolder(folder)) return
  if (folder !== dirname(folder)) await makeFolder(dirname(folder), mode)
  await mkdir(folder, { mode }).catch(async (error) => {
    if (!(await isFolder(folder))) throw error // else another process was first
  })
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}
