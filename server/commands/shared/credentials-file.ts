import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Made } from '../../process/prepare-server.ts'
import type { Config } from '../../src/platform/config/config.ts'
import { syncFolder, writeSynced } from '../../src/platform/files.ts'
import { OperatorError } from '../../src/platform/operator-error.ts'
import { credentialLines } from './banner.ts'

/**
 * The owner's credentials are written to a file, readable by its owner only, before the account is committed; the file is
 * removed once they were shown. So no account exists with unknown credentials, also when the process dies in between.
 * Where standard output is a log or closed, they stay in the file.
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
      if (isShown) return // they will be printed, so an unwritable folder must not prevent the start
      throw new OperatorError(
        `The owner's credentials cannot be written to ${file}; make DATA_DIR writable, or run the first start on a terminal or with --json.`,
        { cause },
      )
    }
  }

  return {
    keep,
    /** The file that keeps them, if they are not shown. */
    stayIn: isShown ? undefined : file,
    wereShown: async () => {
      if (isShown && isKept) await rm(file, { force: true })
    },
  }
}
