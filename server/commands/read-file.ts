import { readFile } from 'node:fs/promises'
import { OperatorError } from '../src/platform/operator-error.ts'

/** The text of a file that an operator names. */
export async function readTextFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new OperatorError(`Cannot read ${path}; give the path of a file that you may read.`, { cause })
  }
}

export async function readJsonFile(path: string): Promise<unknown> {
  const text = await readTextFile(path)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new OperatorError(`${path} is not JSON: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}
