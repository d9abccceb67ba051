import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { cannotWrite } from './file-errors.ts'
import { makeFolder } from './make-folder.ts'

/** Makes the data folder, and says in a sentence why nothing can be written there. */
export async function openDataFolder(dataDir: string): Promise<void> {
  await makeFolder(dataDir, 0o700)
    .then(() => access(dataDir, constants.W_OK))
    .catch((cause) => Promise.reject(cannotWrite(`DATA_DIR (${dataDir})`, cause)))
}
