// Runs alone: takes long, it starts servers and examines them

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askOnce } from '../../src/platform/database-setup/server-lock.ts'
import { commandsWith, readDocument, runHere } from '../helpers/commands.ts'
import { makeDatabase, urlOf } from '../helpers/databases.ts'
import { makeDataFolder, startProcess } from '../helpers/server-process.ts'

const account = 'owner@patchbay.local'
const address = 'http://127.0.0.1:9/replies'

/** A database for several servers, and what is the same for all of them. */
async function makeWorld() {
  await using made = new AsyncDisposableStack()
  const { address } = made.use(await makeDatabase())
  const folder = made.use(await makeDataFolder({ cluster: false }))
  const shared = { DATA_DIR: folder.path, DATABASE_URL: urlOf(address), SECRET_KEY: 'the same on every machine' }
  const all = made.move()
  return { address, shared, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

test('commands judge by the settings of the running server and say where their own differ; by their own once it was killed', async () => {
  await using world = await makeWorld()
  const { shared } = world
  const set = {
    KEEP_MESSAGES_DAYS: '30',
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
    OWNER_PASSWORD: 'a password to keep',
  }
  await using server = await startProcess({ ...shared, ...set })
  const commands = commandsWith({ ...shared, KEEP_MESSAGES_DAYS: '60' })
  const keep = (days: string) =>
    commands.run('account', 'retention', '--account', account, '--kind', 'messages', '--days', days, '--json')
  const hook = () => commands.run('webhook', 'set', '--account', account, '--url', address, '--json')

  const refused = await keep('45')
  assert.equal(refused.code, 1)
  assert.match(
    refused.stderr,
    /^KEEP_MESSAGES_DAYS=30 at the running server, KEEP_MESSAGES_DAYS=60 here; the server's counts\.\n/,
  )
  assert.match(JSON.parse(refused.stdout).error.message, /keeps messages for 30 days at most/)
  const saved = await hook()
  assert.equal(saved.code, 0, saved.stderr)
  assert.match(
    saved.stderr,
    /^OUTBOUND_ALLOWED_NETWORKS=127\.0\.0\.0\/8 at the running server, OUTBOUND_ALLOWED_NETWORKS not set here; /,
  )
  const nobody = await commands.run('contact', 'opt-in', '--account', account, '--contact', 'con_none')
  assert.match(nobody.stderr, /^[^\n]*con_none[^\n]*\n$/, 'what calls nobody does not say where it may call')
  const same = await runHere({ ...shared, ...set }, 'account', 'retention', '--account', account, '--json')
  assert.equal(readDocument(same).rules[0].most, 30)

  const examined = JSON.parse((await commands.run('doctor', '--json')).stdout)
  const shown = (name: string) => examined.settings.find(({ setting }: { setting: string }) => setting === name)
  assert.deepEqual(shown('KEEP_MESSAGES_DAYS'), {
    setting: 'KEEP_MESSAGES_DAYS',
    value: '30',
    from: 'environment of the server; 60 in this one',
  })
  assert.deepEqual(shown('KEEP_ATTEMPTS_DAYS'), { setting: 'KEEP_ATTEMPTS_DAYS', value: '30', from: 'default' })
  assert.equal(shown('PORT').value, new URL(server.url).port, 'with PORT=0 the one that it listens on')
  const found = (name: string) => examined.findings.find(({ check }: { check: string }) => check === name)
  assert.match(
    found('server').detail,
    /^running and ready at 127\.0\.0\.1 port \d+$/,
    'where the server says, not PORT here',
  )
  assert.match(
    found('settings').detail,
    /others here, which do not count: OUTBOUND_ALLOWED_NETWORKS, KEEP_MESSAGES_DAYS$/,
  )
  const noted = JSON.stringify(await askOnce(world.address, 'select * from running_servers'))
  assert.match(noted, /KEEP_MESSAGES_DAYS/)
  for (const secret of [shared.SECRET_KEY, set.OWNER_PASSWORD, 'a-key-that-the-tests-know', shared.DATABASE_URL]) {
    assert.ok(!noted.includes(secret), `${secret} is noted`)
  }

  server.child.kill('SIGKILL')
  await server.exited
  const own = await keep('45')
  assert.deepEqual([own.code, own.stderr], [0, ''], 'nobody runs that would keep them for 30 days only')
  assert.match((await hook()).stderr, /^The address must begin with https:/)
})

test('doctor names servers on one database that disagree, and each value with the server that has it', async () => {
  await using world = await makeWorld()
  const { shared } = world
  const alike = { PUBLIC_URL: 'https://chat.example.com', PROCESSES: '2' }
  await using one = await startProcess({ ...shared, ...alike, PROCESSES: '1', KEEP_AUDIT_DAYS: '90' })
  await using other = await startProcess({ ...shared, ...alike, ROLE: 'worker' })
  const { code, stdout } = await runHere({ ...shared, ...alike }, 'doctor')
  assert.equal(code, 1)
  const at = ({ child: { pid } }: typeof one) => `at patchbay on \\S+ \\(process ${pid}\\)`
  assert.match(
    stdout,
    new RegExp(
      `PROBLEM +settings +servers disagree: KEEP_AUDIT_DAYS=365 ${at(other)}, KEEP_AUDIT_DAYS=90 ${at(one)}; set the same`,
    ),
  )
  assert.match(stdout, /^KEEP_AUDIT_DAYS +365 +default$/m, 'the one that started last')
  assert.match(stdout, /\n\n1 problem\.\n$/)
  await one[Symbol.asyncDispose]()
  const after = JSON.parse((await runHere({ ...shared, ...alike }, 'doctor', '--json')).stdout)
  assert.equal(after.servers.length, 1, 'one that was stopped does not count, nor do the processes of one server')
})
