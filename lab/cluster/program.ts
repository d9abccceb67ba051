import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { signal } from '../../server/src/platform/embedded-postgres/processes.ts'
import { isRoot, path } from './requirements.ts'

export type Program = {
  pid: number
  isAlive: () => boolean
  kill: (name?: NodeJS.Signals) => Promise<void>
  [Symbol.asyncDispose]: () => Promise<void>
}

type Start = {
  args: string[]
  logFile: string
  environment?: Record<string, string>
  /** Started by root, it runs as the user that Debian's PostgreSQL has. */
  asPostgres?: boolean
}

/** Starts a program that runs until it is ended; Ctrl-C does not reach it, since we end it ourselves. */
export function startProgram(name: string, { args, logFile, environment, asPostgres = false }: Start): Program {
  const [command = '', ...all] = asPostgres ? asPostgresUser([name, ...args]) : [name, ...args]
  const log = openSync(logFile, 'a')
  const env = { PATH: path, LC_ALL: 'C.UTF-8', ...environment }
  const child = spawn(command, all, { detached: true, stdio: ['ignore', log, log], env })
  closeSync(log)
  const exited = once(child, 'exit').catch(() => {})
  const isAlive = () => child.exitCode === null && child.signalCode === null
  const atExit = () => void child.kill('SIGKILL')
  process.once('exit', atExit)
  const kill = async (how: NodeJS.Signals = 'SIGKILL') => {
    if (child.pid !== undefined && isAlive()) signal(child.pid, how)
    await exited
    process.off('exit', atExit)
  }
  return { pid: child.pid ?? 0, isAlive, kill, [Symbol.asyncDispose]: () => kill() }
}

export function asPostgresUser(command: string[]): string[] {
  return isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', ...command] : command
}

/** The end of a log, for an error that says why something did not start. */
export function endOf(logFile: string): string {
  return readFileSync(logFile, 'utf8').slice(-2_000)
}
