import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Runs a command of a checkout as an operator does, in its server's environment; returns what it prints as JSON. */
export async function runCommand(
  checkout: string,
  words: string[],
  environment: Record<string, string>,
): Promise<Record<string, unknown>> {
  const { NODE_OPTIONS: _, ...env } = environment // what watches the server is not for its commands
  const options = { cwd: checkout, env }
  const { stdout } = await promisify(execFile)(join(checkout, 'server/cli.ts'), [...words, '--json'], options)
  return JSON.parse(stdout)
}
