import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Where a server listens, and the certificate that its clients have to trust. */
export type Listening = { port: number; certificate: string }

type Ready = { url: string; certificateFile: string }

/** Waits until a server says where it listens, as with `start --json`. That it exits is for the caller to notice. */
export async function untilListening(child: ChildProcess): Promise<Listening> {
  const { promise, resolve, reject } = Promise.withResolvers<Ready>()
  let printed = ''
  child.stdout?.on('data', (data) => {
    printed += data
    if (!printed.trimEnd().endsWith('}')) return
    const said: Partial<Ready> = JSON.parse(printed)
    if (said.url !== undefined) resolve(said as Ready)
    else reject(new Error(`the server did not start: ${printed}`))
  })
  const { url, certificateFile } = await promise
  return { port: Number(new URL(url).port), certificate: await readFile(certificateFile, 'utf8') }
}

const stopsWithinMs = 30_000

/** Stops a server. One that stops cleanly stops its database too; otherwise both are ended, whichever is left. */
export async function stopServer(child: ChildProcess, dataDir: string): Promise<void> {
  if (isAlive(child)) {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    const ended = await Promise.race([exited.then(() => true), sleep(stopsWithinMs, false, { ref: false })])
    if (!ended) child.kill('SIGKILL')
    await exited
  }
  const postmaster = findPostmaster(join(dataDir, 'postgres'))
  if (postmaster === undefined) return // no embedded database, or it has stopped cleanly
  try {
    process.kill(postmaster, 'SIGINT')
    await sleep(2_000)
  } catch {} // it has exited
}

export function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null
}

/** The process of the database with its files in this folder. Undefined: none, or it has stopped cleanly. */
export function findPostmaster(folder: string): number | undefined {
  try {
    return Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0])
  } catch {
    return undefined
  }
}
