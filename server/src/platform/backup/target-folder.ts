import { realpath } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { cannotWrite } from '../file-errors.ts'
import { makeFolder } from '../make-folder.ts'
import { OperatorError } from '../operator-error.ts'

/** Makes the folder that backups go to. One inside DATA_DIR is refused: it would be lost together with it. */
export async function openTarget(given: string, dataDir: string): Promise<string> {
  const folder = resolve(given)
  if (isInside(await realParts(folder), await realParts(dataDir))) {
    throw new OperatorError(
      `${given} is inside DATA_DIR (${dataDir}); give a folder outside of it, best of all on another disk or machine.`,
    )
  }
  await makeFolder(folder, 0o700).catch((cause) => Promise.reject(cannotWrite(folder, cause)))
  return folder
}

/** The path without symbolic links, of a folder whose last parts may not exist yet. */
async function realParts(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined)
  if (real !== undefined || path === dirname(path)) return real ?? path
  return resolve(await realParts(dirname(path)), relative(dirname(path), path))
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || !(way === '..' || way.startsWith('../'))
}
