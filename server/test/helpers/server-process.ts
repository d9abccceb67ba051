import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { openClient } from './https-client.ts'

const cli = resolve(import.meta.dirname, '../../cli.ts')

export const apiKey = 'a-key-that-the-tests-know'

/** A real server in a process of its own, as `npm start` runs it. */
export type ServerProcess = {
  child: ChildProcess
  url: string
  /** What it printed with --json once it was ready. */
  facts: Record<string, string>
  output: () => string
  /** The key is sent in the query, unless headers are given. */
  post: (
    path: string,
    body: unknown,
    key?: string,
    headers?: Record<string, string>,
  ) => Promise<{ status: number; headers: IncomingHttpHeaders; body: Record<string, string> }>
  get: (path: string) => Promise<number>
  exited: Promise<number | null>
  [Symbol.asyncDispose]: () => Promise<void>
}

type Environment = Record<string, string>

type Program = { command: string; args: string[]; cwd?: string }

/** Starts a server and waits until it is ready; rejects with its output when it fails to start. */
export async function startProcess(
  environment: Environment,
  { command, args, cwd }: Program = { command: process.execPath, args: [cli] },
): Promise<ServerProcess> {
  const child = spawn(command, [...args, 'start', '--json'], { cwd, env: serverEnvironment(environment) })
  let output = ''
  let printed = ''
  child.stderr.on('data', (data) => (output += data))
  const exited = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null)
  const facts = await new Promise<Record<string, string>>((ready, refuse) => {
    child.stdout.on('data', (data) => {
      printed += data
      const document = printed.trimEnd().endsWith('}') ? JSON.parse(printed) : { error: 'not yet' }
      if (document.error === undefined) ready(document)
    })
    void exited.then((code) => refuse(new Error(`exited with ${code}: ${output}`)))
  })
  const url = facts.url ?? ''
  const client = openClient({ connections: 32 })
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await exited
    client.close()
  }
  return {
    child,
    url,
    facts,
    output: () => output,
    post: async (path, body, key = apiKey, headers = undefined) => {
      const {
        status,
        headers: answered,
        text,
      } = await client.send(`${url}/v1${path}${headers ? '' : `?apiKey=${key}`}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      return { status, headers: answered, body: JSON.parse(text) }
    },
    get: async (path) => (await client.send(url + path)).status,
    exited,
    [Symbol.asyncDispose]: stop,
  }
}

/**
 * Only the variables that a test sets, as the caller's own DATABASE_URL must not leak into it, and where compiled code is
 * kept: without it a process strips the types of its first file by itself, for which it loads a compiler (90 ms).
 */
export function serverEnvironment(environment: Environment): Environment {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const own = { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: resolve(NODE_COMPILE_CACHE) }) }
  const defaults = { PORT: '0', SERVE_APP: '0', DRAIN_SECONDS: '0', RATE_LIMIT_PER_MINUTE: '0' }
  return { ...own, ...defaults, OWNER_API_KEY: apiKey, ...environment }
}

export type Run = { code: number | null; stdout: string; stderr: string }

/** Runs one command and returns its output. */
export async function runCli(environment: Environment, ...args: string[]): Promise<Run> {
  const child = spawn(process.execPath, [cli, ...args], { env: serverEnvironment(environment) })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (data) => (stdout += data))
  child.stderr.on('data', (data) => (stderr += data))
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

export type DataFolder = { path: string; postmaster: () => number; [Symbol.asyncDispose]: () => Promise<void> }

/**
 * A new DATA_DIR, before the first start: with a database that has the schema and no row, and a certificate, which take a
 * second each to make. Without `cluster`, for a database that is elsewhere, it has the certificate only: copying the
 * thousand files of the other takes 0.1 s to 0.3 s. With `bare` it is empty.
 */
export async function makeDataFolder({ bare = false, cluster = true } = {}): Promise<DataFolder> {
  const path = await mkdtemp(join(tmpdir(), 'patchbay-data-'))
  const template = process.env.PATCHBAY_TEST_DATA
  if (!bare && template) await promisify(execFile)('cp', ['-a', `${template}/${cluster ? '.' : 'tls'}`, path])
  return {
    path,
    postmaster: () => Number(readFileSync(join(path, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}
