import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { signal } from '../../src/platform/embedded-postgres/processes.ts'

const root = resolve(import.meta.dirname, '../../..')

type TestRun = {
  code: number | null
  output: string
  /** What it left, and what is cleared up by now: its folders, and the ids of processes that worked in them. */
  folders: string[]
  processes: number[]
}

/** Runs one file of tests after a global set-up, as `run-tests.ts` does, on the embedded database. */
export async function runTests(setup: string, environment: Record<string, string>): Promise<TestRun> {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env // with it, the runner would run nothing
  const imports = `--import=${resolve(root, 'server/process/resolve-imports.ts')}`
  const args = [imports, '--test', `--test-global-setup=${setup}`, 'server/test/version.test.ts']
  const env = { ...inherited, DATABASE_URL: '', ...environment }
  const child = spawn(process.execPath, args, { cwd: root, env, timeout: 120_000, killSignal: 'SIGKILL' })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data))
  const [code]: (number | null)[] = await once(child, 'close')
  const name = `patchbay-test-${child.pid}-`
  const [folders, processes] = [foldersNamed(name), processesIn(name)]
  for (const pid of processes) signal(pid, 'SIGKILL')
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
  return { code: code ?? null, output, folders, processes }
}

function foldersNamed(name: string): string[] {
  return ['/dev/shm', tmpdir()].flatMap((folder) =>
    namesIn(folder)
      .filter((each) => each.startsWith(name))
      .map((each) => join(folder, each)),
  )
}

/** PostgreSQL works in its data folder, also when that was deleted. */
function processesIn(name: string): number[] {
  return namesIn('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && workingFolderOf(pid).includes(`/${name}`))
}

/** Other systems have no such folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** A process may end between being listed and being read. */
function workingFolderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}
