import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Made } from '../../main.ts'
import type { Config } from '../../src/platform/config/config.ts'
import { OperatorError } from '../../src/platform/operator-error.ts'
import { syncFolder, writeSynced } from '../../src/platform/synced-file.ts'
import { credentialLines } from './banner.ts'

/**
 * The owner's credentials are on disk before they are committed, for their owner alone, and leave it when somebody has
 * been shown them. So they are never made and then known to nobody: not when the process dies in between, and not when
 * standard output is a log or nothing at all. There they stay in the file.
 */
export function openCredentials(config: Config, isShown: boolean) {
  const file = join(config.dataDir, 'first-start.txt')
  let isKept = false

  async function keep(made: Made): Promise<void> {
    const lines = await credentialLines(config, made, made.firstStart)
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await writeSynced(file, `${lines.join('\n')}\n`)
      await syncFolder(dirname(file))
      isKept = true
    } catch (cause) {
      if (isShown) return // a folder that cannot be written is no reason not to start
      throw new OperatorError(
        `The owner's credentials cannot be written to ${file}; make DATA_DIR writable, or make the first start on a terminal or with --json.`,
        { cause },
      )
    }
  }

  return {
    keep,
    /** Where they are to be found, if they are not shown. */
    stayIn: isShown ? undefined : file,
    wereShown: async () => {
      if (isShown && isKept) await rm(file, { force: true })
    },
  }
}
