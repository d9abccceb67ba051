import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Makes a folder whose name begins so, and which is removed at the end. */
export async function makeTemporaryFolder(begin: string, started: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), begin))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  return folder
}
