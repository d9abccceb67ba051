import { open } from 'node:fs/promises'

/** Writes a file, by default readable by its owner only, and returns when it is on disk. */
export async function writeSynced(file: string, text: string, mode = 0o600): Promise<void> {
  await using handle = await open(file, 'w', mode)
  await handle.chmod(mode) // `open` sets the mode of new files only
  await handle.writeFile(text)
  await handle.sync()
}

/** Returns when the names of the files in a folder are on disk too. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r')
  await handle.sync()
}
