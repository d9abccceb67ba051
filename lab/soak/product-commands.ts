import { runCommand } from '../common/run-command.ts'
import type { Product } from './product.ts'

/** B1: what `ledger check` finds wrong. */
export async function ledgerBreaches({ server, environment }: Product): Promise<string[]> {
  try {
    await runCommand(server, ['ledger', 'check'], environment)
    return []
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string } // as execFile rejects
    return [`B1: ${stdout || stderr || String(error)}`]
  }
}
