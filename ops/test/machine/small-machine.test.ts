import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { limitMemory } from '../../../lab/soak/memory-limit.ts'
import { ownerKey, type Product, startProduct } from '../../../lab/soak/product.ts'
import { openClient } from '../../../server/test/helpers/https-client.ts'

const root = resolve(import.meta.dirname, '../../..')

/** The least that docs/deploy.md asks for. */
const machine = { mebibytes: 512, cores: 0.5 }
const entries = 2_000
const questions = 500

test('with 512 MB and half a core it starts, imports 2,000 entries beside the server, and answers 500 questions', async () => {
  await using started = new AsyncDisposableStack()
  const limit = started.use(await limitMemory(machine.mebibytes, machine.cores))
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-small-'))
  started.defer(() => rm(folder, { recursive: true }))
  const file = join(folder, 'knowledge.json')
  await writeFile(file, JSON.stringify(Array.from({ length: entries }, (_, n) => entryOf(n))))
  const product = started.use(await startProduct({ server: root, wrapper: limit.wrapper }))
  const db = new Client(product.database)
  await db.connect()
  started.defer(() => db.end())
  const count = async (query: string) => Number((await db.query(query)).rows[0].count)

  const { rows: buffers } = await db.query('show shared_buffers')
  assert.equal(buffers[0].shared_buffers, '64MB', 'of the limit, not of the machine that has it')

  const { rows } = await db.query('select id from campaigns')
  const imported = await run(product, limit.wrapper, ['knowledge', 'import', '--campaign', rows[0].id, '--file', file])
  assert.deepEqual(imported, { campaignId: rows[0].id, added: entries, replaced: 0 })
  assert.equal(await count('select count(*) from entry_texts where model is null'), 0, 'all can be found')

  const client = openClient({ certificate: product.certificate })
  started.defer(async () => client.close())
  for (let n = 0; n < questions; n += 1) {
    const [question] = entryOf((n * 7) % entries).questions
    const customData = { messageSid: `sid-${n}`, fromId: `contact ${n}`, toId: 'shop', body: question }
    const url = `https://localhost:${product.port}/v1/incoming_custom_channel_message?apiKey=${ownerKey}`
    const headers = { 'content-type': 'application/json' }
    const { status, text } = await client.send(url, { method: 'POST', headers, body: JSON.stringify({ customData }) })
    assert.equal(status, 200, text)
  }
  const answered = () => count(`select count(*) from answers where outcome in ('answered', 'offered')`)
  while ((await answered()) < questions) {
    assert.ok(product.isAlive(), product.log())
    await sleep(500)
  }
  assert.equal(await limit.readKills(), 0, 'no process was killed for want of memory')
})

const things = ['bicycle', 'kettle', 'lamp', 'jacket', 'guitar', 'carpet', 'mirror', 'tent', 'watch', 'printer']

function entryOf(n: number): { questions: string[]; answer: string } {
  const thing = `${things[n % things.length]} number ${n}`
  return { questions: [`What does the ${thing} cost?`], answer: `The ${thing} costs ${n + 10} euros.` }
}

/** Runs a command inside the same limits: they are those of a machine. */
async function run({ environment }: Product, wrapper: string[], args: string[]): Promise<unknown> {
  const [command = '', ...rest] = [...wrapper, join(root, 'server/cli.ts'), ...args, '--json']
  const child = spawn(command, rest, {
    env: { ...environment, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (data) => (output += data))
  const [code, signal] = await once(child, 'close')
  assert.deepEqual([code, signal], [0, null], output)
  return JSON.parse(output)
}
