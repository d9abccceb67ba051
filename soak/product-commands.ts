import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Product } from './product.ts'

/** B1: what `ledger check` finds wrong. */
export async function ledgerBreaches({ server, environment }: Product): Promise<string[]> {
  const { NODE_OPTIONS: _, ...env } = environment
  try {
    await promisify(execFile)(join(server, 'server/cli.ts'), ['ledger', 'check', '--json'], { env })
    return []
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string } // as execFile rejects
    return [`B1: ${stdout || stderr || String(error)}`]
  }
}
