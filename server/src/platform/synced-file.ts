import { open } from 'node:fs/promises'

/** Writes a file that only its owner can read, and returns when it is on disk. */
export async function writeSynced(file: string, text: string, mode = 0o600): Promise<void> {
  await using handle = await open(file, 'w', mode)
  await handle.chmod(mode) // one that was there before keeps its mode
  await handle.writeFile(text)
  await handle.sync()
}

/** So that the names in it are on disk too. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r')
  await handle.sync()
}
