// Runs alone: takes long, most commands in it start a database

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { findProcesses } from '../../src/platform/embedded-postgres/processes.ts'
import { type Commands, commandsWith, readDocument, runHere } from '../helpers/commands.ts'
import { type DataFolder, makeDataFolder, type Run, runCli, startProcess } from '../helpers/server-process.ts'

const nothing = { postmaster: undefined, backends: [] }

async function json(folder: DataFolder, ...args: string[]): Promise<Record<string, string>> {
  const { code, stdout, stderr } = await runCli({ DATA_DIR: folder.path }, ...args, '--json')
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

function refused(run: Run, sentence: RegExp): void {
  assert.deepEqual([run.code, run.stdout], [1, ''])
  assert.match(run.stderr, sentence)
  assert.equal(run.stderr.trimEnd().split('\n').length, 1, 'one sentence')
}

test('commands work without a server, and stop the database that they started', async () => {
  await using folder = await makeDataFolder()
  const account = await json(folder, 'account', 'create', '--email', 'Shop@Example.com')
  assert.deepEqual(Object.keys(account), ['accountId', 'userId', 'email', 'apiKey', 'password'])
  const { listId } = await json(folder, 'list', 'create', '--account', 'shop@example.com', '--name', 'VIP')
  const { lists } = await json(folder, 'list', 'show', '--account', account.accountId ?? '')
  assert.deepEqual(
    [lists].flat().map((list) => Object(list).listId),
    [listId],
  )
  assert.deepEqual(findProcesses(join(folder.path, 'postgres')), nothing)
})

test('commands work beside a running server, and do not stop its database; only an agency can have sub-accounts', async () => {
  await using folder = await makeDataFolder()
  await using server = await startProcess({ DATA_DIR: folder.path })
  const { apiKey = '' } = await json(
    folder,
    'account',
    'create',
    '--email',
    'shop@example.com',
    '--password',
    'long enough',
  )
  assert.equal((await server.post('/contacts', { email: 'ana@example.com' }, apiKey)).status, 201)
  const { apiKey: next = '' } = await json(folder, 'key', 'generate', '--account', 'shop@example.com')
  assert.equal((await server.post('/contacts', { email: 'ana@example.com' }, next)).status, 201)
  assert.equal(await server.get('/readyz'), 200)
  await onlyAnAgencyHasSubaccounts(commandsWith({ DATA_DIR: folder.path }))
  assert.equal(await server.get('/readyz'), 200)
})

test('concurrent commands on a new folder share one database, also with a server that starts meanwhile', async () => {
  await using folder = await makeDataFolder({ bare: true })
  const emails = ['a@example.com', 'b@example.com', 'c@example.com']
  const [server] = await Promise.all([
    startProcess({ DATA_DIR: folder.path }),
    ...emails.map((email) => json(folder, 'account', 'create', '--email', email)),
  ])
  const { accounts } = await json(folder, 'account', 'show')
  assert.deepEqual(
    [accounts]
      .flat()
      .map((account) => Object(account).email)
      .sort(),
    [...emails, 'owner@patchbay.local'],
  )
  assert.equal(await server.get('/readyz'), 200)
  await server[Symbol.asyncDispose]()
  assert.deepEqual(findProcesses(join(folder.path, 'postgres')), nothing)
})

async function onlyAnAgencyHasSubaccounts({ run }: Commands): Promise<void> {
  const agency = ['--agency', 'agency@example.com']
  readDocument(await run('account', 'create', '--email', 'agency@example.com', '--agency', '--json'))
  const created = readDocument(await run('subaccount', 'create', ...agency, '--email', 'sub@example.com', '--json'))
  assert.match(created.accountId ?? '', /^acc_/)
  const { subaccounts } = readDocument(await run('subaccount', 'show', ...agency, '--json'))
  assert.deepEqual(
    subaccounts.map(({ email }: { email: string }) => email),
    ['sub@example.com'],
  )

  refused(
    await run('subaccount', 'create', '--agency', 'sub@example.com', '--email', 'x@example.com'),
    /is not an agency/,
  )
  refused(await run('account', 'create', '--email', 'SUB@example.com'), /already signs in to an account/)
  refused(await run('account', 'create', '--email', 'nonsense'), /is not an e-mail address/)
  refused(await run('account', 'create', '--email', 'y@example.com', '--password', 'short'), /8 to 256 characters/)
  refused(await run('key', 'generate', '--account', 'nobody@example.com'), /There is no account nobody@example.com/)
  refused(await run('list', 'create', '--account', 'sub@example.com', '--name', ' '), /name must have 1 to 256/)
}

test('an invalid command line is refused with one sentence that shows the usage', async () => {
  await using folder = await makeDataFolder({ bare: true })
  const commands = commandsWith({ DATA_DIR: folder.path })
  const { run } = commands
  refused(await run('frobnicate'), /There is no command "frobnicate"/)
  refused(await run('constructor'), /There is no command "constructor"/)
  refused(await run('list', 'create', '--account', 'x'), /--name is missing; usage: npx patchbay list create/)
  refused(await run('list', 'show', '--account'), /usage: npx patchbay list show/)
  refused(await run('list', 'show', '--colour', 'red'), /Unknown option '--colour'.*usage/)
  refused(await runCli({ DATA_DIR: folder.path, PORT: 'x' }, 'start'), /^PORT must be a whole number/)
  const help = await run()
  assert.equal(help.code, 0)
  assert.match(help.stdout, /account create --email … \[--password …\] \[--agency\]/)
})

test('doctor reports no problem in a healthy installation, and names each problem in another', async () => {
  await using folder = await makeDataFolder()
  const well = await runCli({ DATA_DIR: folder.path, PORT: '1' }, 'doctor', '--json')
  assert.equal(well.code, 0, well.stdout)
  const { findings } = JSON.parse(well.stdout)
  const checks = [
    ...['configuration', 'disk', 'database', 'durability', 'migrations', 'backup', 'archive', 'clock', 'server'],
    ...['certificate', 'settings', 'campaigns', 'receivers', 'channels', 'open files', 'built-in engine'],
  ]
  assert.deepEqual(
    findings.map(({ check }: { check: string }) => check),
    checks,
  )

  const lost = { TLS_CERT_FILE: '/nowhere/cert.pem', TLS_KEY_FILE: '/nowhere/key.pem' }
  const ill = await runHere({ DATA_DIR: folder.path, PORT: '1', ...lost }, 'doctor')
  assert.equal(ill.code, 1)
  assert.match(
    ill.stdout,
    /PROBLEM +certificate +The certificate file \/nowhere\/cert\.pem cannot be read \(ENOENT\); set TLS_CERT_FILE and /,
  )
})
