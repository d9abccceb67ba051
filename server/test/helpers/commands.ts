import assert from 'node:assert/strict'
import { Readable, Writable } from 'node:stream'
import { pino } from 'pino'
import { runCommand } from '../../commands/run.ts'
import { urlOf } from './databases.ts'
import { sharedApp, startApp, type TestAccount, type TestApp } from './harness.ts'
import { makeDataFolder, type Run, serverEnvironment, startProcess } from './server-process.ts'

/**
 * Runs a command in this process, as `runCli` does in one of its own, which takes half a second each time. For `start`
 * and `status --watch`, and where a test is about a signal, standard input or a terminal, it takes a real one.
 */
export async function runHere(environment: Record<string, string>, ...args: string[]): Promise<Run> {
  const [stdout, stderr] = [openText(), openText()]
  const code = await runCommand(args, {
    env: serverEnvironment(environment),
    stdin: Readable.from([]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    openLog: (level) => ({ log: pino({ level }, stderr.stream), flush: () => {} }),
  }).catch((error) => {
    stderr.stream.write(error.stack) // as Node does
    return 1
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function openText() {
  let text = ''
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _, done) => {
      text += chunk
      done()
    },
  })
  return { stream, text: () => text }
}

export type Commands = { run: (...args: string[]) => Promise<Run> }

/** Commands that all run with this environment. */
export function commandsWith(environment: Record<string, string>): Commands {
  return { run: (...args) => runHere(environment, ...args) }
}

/** A server process that delivers, and commands beside it. The API is also served in this process, to create accounts. */
export type Beside = {
  app: TestApp
  environment: Record<string, string>
  commands: Commands
  /** Runs a command with --account and --json. */
  run: (account: Pick<TestAccount, 'email'>, ...words: string[]) => Promise<Run>
  [Symbol.asyncDispose]: () => Promise<void>
}

export async function startBeside(): Promise<Beside> {
  await using started = new AsyncDisposableStack()
  const app = started.use(await startApp({ RATE_LIMIT_PER_MINUTE: '0' }))
  const folder = started.use(await makeDataFolder({ cluster: false }))
  const environment = {
    DATA_DIR: folder.path,
    DATABASE_URL: urlOf(app.database.address),
    SECRET_KEY: 'the same on every machine',
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
    DELIVERY_RETRY_SECONDS: '3600,3600',
  }
  const commands = commandsWith(environment)
  started.use(await startProcess(environment))
  const running = started.move()
  return {
    app,
    environment,
    commands,
    run: ({ email }, ...words) => commands.run(...words, '--account', email, '--json'),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Commands on the database of an app that has one account; the API is served here, and no worker runs. */
export async function startShopWithCommands() {
  await using started = new AsyncDisposableStack()
  const app = started.use(await sharedApp())
  const folder = started.use(await makeDataFolder({ bare: true }))
  const environment = {
    DATA_DIR: folder.path,
    DATABASE_URL: urlOf(app.database.address),
    SECRET_KEY: 'the same on every machine',
  }
  const commands = commandsWith(environment)
  const shop = await app.makeAccount()
  const running = started.move()
  return { app, shop, environment, commands, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** Commands on the database of an app that is there already. */
export async function commandsOn(app: TestApp): Promise<Commands & AsyncDisposable> {
  const folder = await makeDataFolder({ bare: true })
  const environment = { DATABASE_URL: urlOf(app.database.address), SECRET_KEY: 'the same on every machine' }
  return {
    ...commandsWith({ DATA_DIR: folder.path, ...environment }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a test asserts what it expects, which no type could do as well
export type Document = any

export function readDocument({ code, stdout, stderr }: Run): Document {
  assert.deepEqual([code, stderr], [0, ''])
  return JSON.parse(stdout)
}

/** A refusal is one sentence on standard error; with --json it is also a document, and nothing else is printed. */
export function assertRefusedCommand(run: Run, sentence: RegExp): void {
  assert.equal(run.code, 1, run.stderr)
  assert.match(run.stderr, sentence)
  assert.match(run.stderr, /^[^\n]+\n$/, 'one sentence')
  if (run.stdout === '') return
  const { error, ...others } = JSON.parse(run.stdout)
  assert.deepEqual(others, {})
  assert.equal(error.message, run.stderr.trimEnd())
  assert.match(error.code, /^[A-Z_]+$/)
}
