import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

/** A sample of `ops/` with what differs here replaced: an operator gets the same file that the test runs. */
export async function readSample(name: string, replaced: Record<string, string>): Promise<string> {
  const file = resolve(import.meta.dirname, '../../ops', name)
  let text = await readFile(file, 'utf8')
  for (const [from, to] of Object.entries(replaced)) {
    if (!text.includes(from)) throw new Error(`${file} has no "${from}" to replace`)
    text = text.replaceAll(from, to)
  }
  return text
}
