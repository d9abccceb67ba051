import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { OperatorError } from '../operator-error.ts'
import { settingsRoot } from './settings-root.ts'

export function readInteger(name: string, text: string, range: { from: number; to: number }): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= range.from && value <= range.to) return value
  throw new OperatorError(`${name} must be a whole number from ${range.from} to ${range.to}; it is "${text}".`)
}

/** A folder that would be lost together with DATA_DIR is refused. */
export function readFolderOutside(name: string, text: string, dataDir: string): string {
  const folder = resolve(settingsRoot, text)
  if (folder !== dataDir && !folder.startsWith(`${dataDir}/`)) return folder
  throw new OperatorError(`${name} must be outside of DATA_DIR, best of all on another disk; it is "${text}".`)
}

/**
 * A setting that is a secret: its value, or the content of the file that `NAME_FILE` names. Container engines and systemd
 * hand secrets over as files, since an environment is shown by `docker inspect` and inherited by every child.
 */
export function readSecret(name: string, read: (name: string) => string | undefined): string | undefined {
  const value = read(name)
  const file = read(`${name}_FILE`)
  if (file === undefined) return value
  if (value !== undefined) throw new OperatorError(`${name} and ${name}_FILE are both set; unset one of them.`)
  const text = readText(name, file).trim()
  if (text === '') throw new OperatorError(`${name}_FILE names ${file}, which is empty.`)
  return text
}

function readText(name: string, file: string): string {
  try {
    return readFileSync(resolve(settingsRoot, file), 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : cause
    throw new OperatorError(`${name}_FILE names ${file}, which cannot be read (${code}).`, { cause })
  }
}
