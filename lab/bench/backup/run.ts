import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { runCommand } from '../../common/run-command.ts'
import { makeTemporaryFolder } from '../../common/temporary-folder.ts'
import { print } from '../app/world.ts'
import { fillTo, prepareAccount } from '../fill.ts'
import { startLoadClient } from '../load/client.ts'
import type { Outcome } from '../load/run-load.ts'
import { describeSteady, sendSteadily } from '../load/steady.ts'
import { startServer } from '../servers/start.ts'

/** How long a backup of a large database takes, what it does to the messages that come meanwhile, and how long a restore takes. */
export async function benchBackup(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ args, options: { messages: text, rate: text, seconds: text } })
  const messages = Number(values.messages ?? 5_000_000)
  const [rate, seconds] = [Number(values.rate ?? 500), Number(values.seconds ?? 10)]
  await using started = new AsyncDisposableStack()
  const folder = await makeTemporaryFolder('patchbay-bench-backup-', started)
  const server = started.use(await startServer('product', folder, { logFolder: undefined, profileFolder: undefined }))
  const client = await server.connect()
  started.defer(() => client.end())
  await prepareAccount(client)
  print(`filling: ${messages} messages`)
  await fillTo(client, messages)
  const load = started.use(startLoadClient())
  const send = () => sendSteadily(load, server, { rate, seconds })

  await send()
  print(`${rate}/s, no backup: ${describeSteady([await send(), await send(), await send()])}`)
  const backups = join(folder, 'backups')
  const isMade = run(server.dataDir, ['backup', '--to', backups, '--with-secret-key'])
  const made = { isOver: false }
  void isMade.finally(() => {
    made.isOver = true
  })
  const during: Outcome[] = []
  while (!made.isOver) during.push(await send())
  print(`${rate}/s, beside a backup: ${describeSteady(during)}`)
  const { databaseBytes, sizeBytes, tookSeconds } = await isMade
  print(`backup: ${tookSeconds} s for ${inMiB(databaseBytes)} MiB, which are ${inMiB(sizeBytes)} MiB compressed`)
  const restored = await run(join(folder, 'restored'), ['restore', '--from', backups, '--paused'])
  print(`restore: ${restored.tookSeconds} s`)
}

type Facts = Record<'databaseBytes' | 'sizeBytes' | 'tookSeconds', number>

async function run(dataDir: string, words: string[]): Promise<Facts> {
  const checkout = resolve(import.meta.dirname, '../../..')
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, DATA_DIR: dataDir }
  return (await runCommand(checkout, words, env)) as Facts
}

const inMiB = (bytes: number) => Math.round(bytes / 2 ** 20)
