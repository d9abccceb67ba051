import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Client } from 'pg'
import { makeDatabase, runStatement, type TestDatabase, urlOf } from '../../helpers/databases.ts'
import { type Machine, openMachine } from '../../helpers/rate-machines.ts'
import { makeDataFolder, startProcess } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

const newKey = () => randomBytes(32).toString('hex')

async function openMachines(started: AsyncDisposableStack, database: TestDatabase): Promise<Machine[]> {
  return Promise.all([1, 2, 3].map(() => openMachine(started, database)))
}

/** Which of three machines gets the nth request. */
const traffic: Record<string, (n: number) => number> = {
  'all requests come to one machine': () => 0,
  'requests are spread evenly': (n) => n % 3,
  'one machine gets nine in ten': (n) => (n % 10 === 0 ? 1 + ((n / 10) % 2) : 0),
  'they are spread at random': () => Math.floor(Math.random() * 3),
  'a few requests come to two machines first, then all to the third': (n) => (n < 4 ? n % 2 : 2),
}

/** Limits, and how many requests are in flight. */
const cases = [1, 2, 10, 100, 600].flatMap((limit) => [1, 10].map((atOnce) => [limit, atOnce] as const))

for (const [name, machineOf] of Object.entries(traffic)) {
  test(`three machines allow exactly the limit of a key together when ${name}`, async () => {
    await using started = new AsyncDisposableStack()
    const database = started.use(await makeDatabase())
    const machines = await openMachines(started, database)
    for (const [limit, atOnce] of cases) {
      const keyHash = newKey()
      const before = sum(machines.map(({ statements }) => statements()))
      const send = async (n: number) => {
        const { allowed, remaining } = await (machines[machineOf(n)] as Machine).ask(keyHash, limit)
        assert.ok(allowed || remaining === 0)
        return Number(allowed)
      }
      let allowed = 0
      const requests = 2 * limit + 20
      for (let sent = 0; sent < requests; sent += atOnce) {
        allowed += sum(await Promise.all(Array.from({ length: atOnce }, (_, at) => send(sent + at))))
      }
      // A machine that was refused asks again a little later.
      let later = requests
      await until(async () => {
        if (allowed < limit) allowed += await send(later)
        later += 1
        return allowed >= limit
      }, 'fewer than the limit were allowed')
      assert.equal(allowed, limit)
      const statements = sum(machines.map((machine) => machine.statements())) - before
      // Between 20 and 56 were seen.
      if (limit === 600) assert.ok(statements <= 90, `${statements} statements for ${requests} requests`)
    }
  })
}

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0)

test('a key with few requests costs one statement for each window and machine', async () => {
  await using started = new AsyncDisposableStack()
  const database = started.use(await makeDatabase())
  const [one, two] = (await openMachines(started, database)) as [Machine, Machine]
  const keyHash = newKey()
  assert.deepEqual(await one.ask(keyHash, 600), { allowed: true, limit: 600, remaining: 599, resetsInSeconds: 60 })
  for (let sent = 0; sent < 10; sent += 1) assert.ok(one.isAnsweredAtOnce(keyHash, 600))
  await two.ask(keyHash, 600)
  assert.deepEqual([one.statements(), two.statements()], [1, 1])
})

test('all machines have the same window, which ends by the clock of the database', async () => {
  await using started = new AsyncDisposableStack()
  const database = started.use(await makeDatabase())
  const [one, two, three] = (await openMachines(started, database)) as [Machine, Machine, Machine]
  const keyHash = newKey()
  for (let sent = 0; sent < 4; sent += 1) await one.ask(keyHash, 4)
  await runStatement(database.address, `update rate_windows set ends_at = now() + interval '10 seconds'`)
  const refused = await two.ask(keyHash, 4)
  assert.deepEqual([refused.allowed, refused.remaining], [false, 0])
  assert.ok(refused.resetsInSeconds <= 10)
  await runStatement(database.address, `update rate_windows set ends_at = now() - interval '1 second'`)
  assert.deepEqual(await three.ask(keyHash, 4), { allowed: true, limit: 4, remaining: 3, resetsInSeconds: 60 })
})

test('a crash of the database, which empties the windows, begins new ones', async () => {
  await using started = new AsyncDisposableStack()
  const database = started.use(await makeDatabase())
  const [one, two] = (await openMachines(started, database)) as [Machine, Machine]
  const client = new Client(database.address)
  await client.connect()
  started.defer(() => client.end())
  const { rows } = await client.query("select relpersistence from pg_class where relname = 'rate_windows'")
  assert.deepEqual(rows, [{ relpersistence: 'u' }], 'unlogged: PostgreSQL empties it after a crash')
  const keyHash = newKey()
  for (let sent = 0; sent < 4; sent += 1) await one.ask(keyHash, 4)
  await client.query('truncate rate_windows')
  assert.equal((await two.ask(keyHash, 4)).allowed, true)
})

test('a limit that is changed within a window holds on every machine for the rest of it', async () => {
  await using started = new AsyncDisposableStack()
  const database = started.use(await makeDatabase())
  const [one, two] = (await openMachines(started, database)) as [Machine, Machine]
  const keyHash = newKey()
  for (let sent = 0; sent < 5; sent += 1) assert.ok((await one.ask(keyHash, 160)).allowed)
  assert.equal((await one.ask(keyHash, 3)).allowed, false)
  assert.equal((await two.ask(keyHash, 3)).allowed, false)
  const allowed = []
  for (let sent = 0; sent < 4; sent += 1) {
    for (const machine of [one, two]) allowed.push((await machine.ask(keyHash, 8)).allowed)
  }
  assert.equal(allowed.filter(Boolean).length, 3)
})

test('a machine that stops gives back what it has not used', async () => {
  await using started = new AsyncDisposableStack()
  const database = started.use(await makeDatabase())
  const [one, two] = (await openMachines(started, database)) as [Machine, Machine]
  const keyHash = newKey()
  await one.ask(keyHash, 160)
  await one.close()
  assert.equal((await two.ask(keyHash, 160)).remaining, 158)
})

test('while the database does not answer, a machine allows the limit by itself and no more', async () => {
  await using started = new AsyncDisposableStack()
  const database = started.use(await makeDatabase())
  const [one] = (await openMachines(started, database)) as [Machine]
  const locking = new Client(database.address)
  await locking.connect()
  started.defer(() => locking.end())
  await locking.query('begin; lock table rate_windows in access exclusive mode')
  const keyHash = newKey()
  const answers = await Promise.all(Array.from({ length: 12 }, () => one.ask(keyHash, 5)))
  assert.deepEqual(
    answers.map(({ allowed }) => allowed),
    Array.from({ length: 12 }, (_, at) => at < 5),
  )
  await locking.query('rollback')
  await until(async () => (await one.ask(newKey(), 5)) && one.statements() > 1, 'it does not ask the database again')
})

test('three servers, one of them with two processes, allow exactly the limit of a key together', async () => {
  await using started = new AsyncDisposableStack()
  const database = started.use(await makeDatabase())
  const folder = started.use(await makeDataFolder({ cluster: false }))
  const shared = { DATA_DIR: folder.path, DATABASE_URL: urlOf(database.address), SECRET_KEY: 'the same everywhere' }
  const start = async (more: Record<string, string>) =>
    started.use(await startProcess({ ...shared, ROLE: 'api', RATE_LIMIT_PER_MINUTE: '60', ...more }))
  const first = await start({})
  const servers = [first, ...(await Promise.all([start({}), start({ PROCESSES: '2' })]))]
  const answers: Awaited<ReturnType<typeof first.post>>[] = []
  const allowed = () => answers.filter(({ status }) => status !== 429).length
  async function sendToAll(): Promise<void> {
    const sent = servers.flatMap((server) => Array.from({ length: 3 }, () => server.post('/contacts', {})))
    answers.push(...(await Promise.all(sent)))
  }
  await until(() => sendToAll().then(() => allowed() >= 60), 'fewer than the limit were allowed')
  for (let round = 0; round < 5; round += 1) await sendToAll()
  assert.equal(allowed(), 60)
  const refused = answers.filter(({ status }) => status === 429)
  for (const { headers } of refused) {
    assert.match(String(headers.ratelimit), /^"key";r=0;t=([2345]\d|60)$/)
    assert.match(String(headers['retry-after']), /^([2345]\d|60)$/)
  }
})
