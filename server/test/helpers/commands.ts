import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { urlOf } from './databases.ts'
import { startApp, type TestAccount, type TestApp } from './harness.ts'
import { makeDataFolder, type Run, serverEnvironment, startProcess } from './server-process.ts'

/** Commands as `runCli` runs them, but one after another in one process: starting one costs half a second each time. */
export type Commands = { run: (...args: string[]) => Promise<Run>; [Symbol.asyncDispose]: () => Promise<void> }

export function startCommands(environment: Record<string, string>): Commands {
  const env = serverEnvironment(environment)
  const child = fork(resolve(import.meta.dirname, 'command-process.ts'), {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit').then(([code]) => assert.fail(`the process of the commands ended with ${code}`))
  ended.catch(() => {}) // it also ends when it is disposed of
  let queue: Promise<unknown> = Promise.resolve()
  async function runNext(args: string[]): Promise<Run> {
    child.send(args)
    const [run] = await Promise.race([once(child, 'message'), ended])
    return run
  }
  return {
    run: (...args) => {
      const run = queue.then(() => runNext(args))
      queue = run.catch(() => {})
      return run
    },
    [Symbol.asyncDispose]: async () => {
      child.disconnect()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
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
  const folder = started.use(await makeDataFolder())
  const environment = {
    ...{ DATA_DIR: folder.path, DATABASE_URL: urlOf(app.database.address), SECRET_KEY: 'the same on every machine' },
    ...{ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8', DELIVERY_RETRY_SECONDS: '3600,3600' },
  }
  const commands = started.use(startCommands(environment))
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
  const app = started.use(await startApp())
  const folder = started.use(await makeDataFolder({ bare: true }))
  const address = { DATABASE_URL: urlOf(app.database.address), SECRET_KEY: 'the same on every machine' }
  const commands = started.use(startCommands({ DATA_DIR: folder.path, ...address }))
  const shop = await app.makeAccount()
  const running = started.move()
  return { app, shop, commands, [Symbol.asyncDispose]: () => running.disposeAsync() }
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
