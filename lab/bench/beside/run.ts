import { parseArgs } from 'node:util'
import { makeTemporaryFolder } from '../../common/temporary-folder.ts'
import { print } from '../app/world.ts'
import { orInterrupted } from '../interrupt.ts'
import { startLoadClient } from '../load/client.ts'
import { startServer } from '../servers/start.ts'
import { asText } from '../table.ts'
import { besideBot } from './bot.ts'
import type { Beside, World } from './compare.ts'
import { besideImport } from './import.ts'
import { besideLedgerCheck } from './ledger-check.ts'
import { besideTransaction } from './transaction.ts'

const parts: Record<string, (world: World) => Promise<Beside>> = {
  check: besideLedgerCheck,
  transaction: besideTransaction,
  bot: besideBot,
  import: besideImport,
}

/** What the work of some does to that of others, on one server: each measured in turns, alone and beside it. */
export async function benchBeside(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { only: { type: 'string' }, rounds: { type: 'string' } } })
  const { only } = values
  if (only !== undefined && !parts[only]) throw new Error(`--only is ${Object.keys(parts).join(', ')}`)
  await using started = new AsyncDisposableStack()
  const chosen = Object.entries(parts).filter(([name]) => only === undefined || only === name)
  await orInterrupted(measure(started, chosen, Number(values.rounds ?? 4)))
}

async function measure(
  started: AsyncDisposableStack,
  chosen: [string, (world: World) => Promise<Beside>][],
  rounds: number,
) {
  const measured: Beside[] = []
  for (const [name, part] of chosen) {
    print(`beside: ${name}`)
    await using own = started.use(new AsyncDisposableStack())
    const folder = await makeTemporaryFolder('patchbay-bench-beside-', own)
    const server = own.use(await startServer('product', folder, { logFolder: undefined, profileFolder: undefined }))
    const database = await server.connect()
    own.defer(() => database.end())
    const load = own.use(startLoadClient())
    measured.push(await part({ server, database, load, rounds, started: own }))
  }
  const rows = measured.map(({ what, unit, alone, beside, ratio, goal }) => [
    what,
    `${alone.toFixed(1)} ${unit}`,
    `${beside.toFixed(1)} ${unit}`,
    `${ratio.median.toFixed(2)} (${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)})`,
    `≤ ${goal}`,
    ratio.median <= goal ? 'met' : 'NOT MET',
  ])
  const head = ['', 'alone', 'beside', 'ratio of a round', 'goal', '']
  process.stdout.write(`\n${asText({ title: 'Beside others', head, rows })}`)
}
