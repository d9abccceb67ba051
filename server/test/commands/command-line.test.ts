import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { readTextFile } from '../../commands/shared/read-file.ts'
import { version } from '../../src/platform/version.ts'
import { assertRefusedCommand, commandsWith, readDocument, startShopWithCommands } from '../helpers/commands.ts'
import { runCli, startProcess } from '../helpers/server-process.ts'

async function makeFolder() {
  const path = await mkdtemp(join(tmpdir(), 'patchbay-line-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
}

test('help shows one command, a group of commands, or all of them', async () => {
  const commands = commandsWith({})
  const { run } = commands
  const names = async (...args: string[]) =>
    readDocument(await run(...args, '--json')).commands.map(({ name }: { name: string }) => name)
  for (const args of [
    ['webhook', 'set', '--help'],
    ['webhook', 'set', '-h'],
    ['help', 'webhook', 'set'],
    ['webhook', 'set', '--account', 'x', '--help'],
  ]) {
    assert.deepEqual(await names(...args), ['webhook set'], args.join(' '))
    const { code, stdout } = await run(...args)
    assert.equal(code, 0)
    assert.match(stdout, /^Usage: npx patchbay webhook set \[--account …\] --url … \[--kind …\] \[--json\]\n/)
    assert.doesNotMatch(stdout, /rotate|campaign/)
  }
  const group = await names('webhook', '--help')
  assert.ok(group.length > 3 && group.every((name: string) => name.startsWith('webhook ')), group.join())
  assert.deepEqual(await names('help', 'webhook'), group)
  assert.deepEqual(await names('ledger', '--help'), ['ledger', 'ledger check'])
  const all = await names('help')
  assert.ok(all.length > 30)
  assert.deepEqual(await names('--help'), all)
  assertRefusedCommand(await run('help', 'frobnicate'), /There is no command "frobnicate"/)
  assertRefusedCommand(await run('webhook'), /There is no command "webhook"; see: npx patchbay help webhook/)
})

test('a DATA_DIR that cannot be written is one sentence, for the server and for commands', async () => {
  await using folder = await makeFolder()
  const inTheWay = join(folder.path, 'file')
  await writeFile(inTheWay, '')
  for (const args of [['start'], ['account', 'show'], ['doctor']]) {
    const { code, stdout, stderr } = await runCli({ DATA_DIR: join(inTheWay, 'data') }, ...args)
    assert.equal(code, 1)
    assert.match(args[0] === 'doctor' ? stdout : stderr, /Cannot write DATA_DIR \(.*\): a file is in the way; /)
    assert.equal(stderr.split('\n').length <= 2, true, stderr)
  }
})

test('with --json every refusal is one JSON document with code and message', async () => {
  await using folder = await makeFolder()
  const environment = { DATA_DIR: folder.path, DATABASE_URL: 'postgres://127.0.0.1:9/none', SECRET_KEY: 'a key' }
  const commands = commandsWith(environment)
  const wrong: [string[], string][] = [
    [['frobnicate'], 'COMMAND_FAILED'],
    [['list', 'show'], 'COMMAND_FAILED'],
    [['list', 'show', '--colour', 'red'], 'COMMAND_FAILED'],
    [['campaign', 'update', '--id', 'cmp_1', '--file', '/nowhere'], 'COMMAND_FAILED'],
    [['account', 'show'], 'COMMAND_FAILED'],
  ]
  for (const [args, code] of wrong) {
    const run = await commands.run(...args, '--json')
    assertRefusedCommand(run, /./)
    assert.equal(JSON.parse(run.stdout).error.code, code, args.join(' '))
    const plain = await commands.run(...args)
    assert.deepEqual([plain.code, plain.stdout], [1, ''], 'without --json nothing is on standard output')
  }
  const start = await runCli({ DATA_DIR: folder.path, PORT: 'x' }, 'start', '--json')
  assertRefusedCommand(start, /^PORT must be/)
  assert.notEqual(start.stdout, '')
  await assert.rejects(startProcess({ DATA_DIR: folder.path, PORT: 'x' }), /PORT must be/)
})

test('an unexpected error is a JSON document too, with its stack on standard error', async () => {
  const script = `
    import { openPrinter } from ${JSON.stringify(join(import.meta.dirname, '../../commands/shared/printer.ts'))}
    openPrinter(process, true).printError(new TypeError('x is not a function'))`
  const { execFile } = await import('node:child_process')
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; stdout: string; stderr: string }>()
  execFile(process.execPath, ['--input-type=module', '-e', script], (error, stdout, stderr) =>
    resolve({ code: error?.code, stdout, stderr }),
  )
  const { code, stdout, stderr } = await promise
  assert.equal(code, 1)
  assert.deepEqual(JSON.parse(stdout), {
    error: { code: 'INTERNAL', message: 'Something went wrong: x is not a function' },
  })
  assert.match(stderr, /TypeError: x is not a function\n +at /)
})

test('a command that the database stops halfway says so in a sentence', async () => {
  await using world = await startShopWithCommands()
  const { app, shop, commands } = world
  await app.db.transaction().execute(async (tx) => {
    await sql`lock table accounts in access exclusive mode`.execute(tx)
    const run = await commands.run('bot', 'on', '--account', shop.email, '--json')
    assertRefusedCommand(run, /took too long/)
    assert.equal(JSON.parse(run.stdout).error.code, 'COMMAND_FAILED')
  })
})

const oneMiB = 1024 * 1024

test('a file is read only up to its size limit, also when its size is unknown', async () => {
  await using folder = await makeFolder()
  const path = join(folder.path, 'file')
  await writeFile(path, 'x'.repeat(oneMiB))
  assert.equal((await readTextFile(path, oneMiB)).length, oneMiB)
  await writeFile(path, 'x'.repeat(oneMiB + 1))
  await assert.rejects(readTextFile(path, oneMiB), /file is larger than 1 MiB/)
  await assert.rejects(readTextFile('/dev/zero', oneMiB), /\/dev\/zero is larger than 1 MiB/)
  await assert.rejects(readTextFile(folder.path, oneMiB), /it is a folder/)
  await assert.rejects(
    readTextFile(join(folder.path, 'none'), oneMiB),
    /^OperatorError: Cannot read .*none; give the path/,
  )
  await writeFile(path, '')
  assert.equal(await readTextFile(path, oneMiB), '')
})

test('a file in another encoding is refused instead of decoded to wrong letters', async () => {
  await using folder = await makeFolder()
  const path = join(folder.path, 'file')
  await writeFile(path, Buffer.from('answer;question\nschön;wie?', 'latin1'))
  await assert.rejects(readTextFile(path, oneMiB), /not text in UTF-8; save it as UTF-8/)
  await writeFile(path, Buffer.from('\ufeffschön', 'utf16le'))
  assert.equal(await readTextFile(path, oneMiB), 'schön')
  await writeFile(path, '\ufeffschön')
  assert.equal(await readTextFile(path, oneMiB), 'schön')
})

test('where there is one account, commands take it without --account; where there are several, or none, they say so', async () => {
  await using world = await startShopWithCommands()
  const { app, commands } = world
  const { lists } = readDocument(await commands.run('list', 'show', '--json'))
  assert.equal(lists[0].listId, world.shop.listId)
  assert.equal(
    readDocument(await commands.run('account', 'limit', '--per-minute', '7', '--json')).rateLimitPerMinute,
    7,
  )
  assertRefusedCommand(await commands.run('webhook', 'set'), /^--url is missing/)
  const empty = /^--account is empty; give an e-mail address or an id, or leave it out\. usage: npx patchbay /
  assertRefusedCommand(await commands.run('account', 'limit', '--account', '', '--per-minute', '9'), empty)
  assertRefusedCommand(await commands.run('account', 'show', '--account='), empty)
  await app.makeAccount()
  const several = /^--account is missing, and there are several; npx patchbay account show lists them\.\n/
  assertRefusedCommand(await commands.run('list', 'show'), several)
  assertRefusedCommand(await commands.run('account', 'password', '--json'), several)
})

/** A command of each file, which loads the rest of it; `start` and `doctor` have tests of their own. */
const oneOfEach: Record<string, { words: string; code: number }> = {
  'accounts.ts': { words: 'account show', code: 0 },
  'backup.ts': { words: 'resume', code: 0 },
  'campaigns.ts': { words: 'campaign show', code: 0 },
  'channels.ts': { words: 'channel show', code: 0 },
  'contacts.ts': { words: 'contact show --contact con_none', code: 1 },
  'conversations.ts': { words: 'handback --contact con_none', code: 1 },
  'credits.ts': { words: 'ledger check', code: 0 },
  'inbox.ts': { words: 'conversations', code: 0 },
  'knowledge.ts': { words: 'knowledge show --campaign cmp_none', code: 1 },
  'lists.ts': { words: 'list show', code: 0 },
  'media.ts': { words: 'media save --message msg_none --to none', code: 1 },
  'messages.ts': { words: 'messages', code: 0 },
  'status.ts': { words: 'status', code: 0 },
  'webhook.ts': { words: 'webhook show', code: 0 },
}

test('a command of each file runs in a process of its own, prints one document and ends', async () => {
  await using world = await startShopWithCommands()
  const parts = ['declarations.ts', 'hint-after.ts', 'run.ts', 'doctor.ts', 'start.ts']
  const files = (await readdir(resolve(import.meta.dirname, '../../commands'))).filter((name) => name.endsWith('.ts'))
  assert.deepEqual(files.filter((name) => !parts.includes(name)).sort(), Object.keys(oneOfEach))
  for (const { words, code } of Object.values(oneOfEach)) {
    const run = await runCli(world.environment, ...words.split(' '), '--json')
    assert.equal(run.code, code, `${words}: ${run.stderr}`)
    assert.equal(JSON.parse(run.stdout).error === undefined, code === 0, words)
    assert.equal(run.stderr === '', code === 0, words)
  }
})

test('under a Node that is too old the command says so in one sentence, and what to do', async () => {
  await using folder = await makeFolder()
  const older = join(folder.path, 'older.cjs')
  await writeFile(
    older,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })",
  )
  const command = resolve(import.meta.dirname, '../../patchbay.cjs')
  const run = (...args: string[]) => spawnSync(process.execPath, [...args, command, '--version'], { encoding: 'utf8' })
  const refused = run('--require', older)
  assert.deepEqual([refused.status, refused.stdout], [1, ''])
  assert.match(refused.stderr, /^Patchbay needs Node 26, and this is v[\d.]+; npm ci installs it: [^\n]+\n$/)
  const { status, stdout, stderr } = run()
  assert.deepEqual([status, stdout, stderr], [0, `patchbay ${version}\n`, ''])
})
