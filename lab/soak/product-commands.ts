import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Product } from './product.ts'

/** B1: what `ledger check` finds wrong. */
export async function ledgerBreaches({ server, environment }: Product): Promise<string[]> {
  try {
    await runCommand(server, ['ledger', 'check', '--json'], environment)
    return []
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string } // as execFile rejects
    return [`B1: ${stdout || stderr || String(error)}`]
  }
}

/** A command of the product as an operator runs it, in the environment of its server. */
export async function runCommand(server: string, args: string[], environment: Record<string, string>): Promise<void> {
  const { NODE_OPTIONS: _, ...env } = environment // the watcher of the event loop is for the server
  await promisify(execFile)(join(server, 'server/cli.ts'), args, { env })
}
