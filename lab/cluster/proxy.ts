import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../common/free-port.ts'
import type { Node } from './database/node.ts'
import { endOf, startProgram } from './program.ts'
import { path } from './requirements.ts'
import { readSample } from './sample.ts'
import type { Place } from './scenario.ts'

/** HAProxy in front of the database, in TCP mode; returns its port. */
export async function openDatabaseProxy(place: Place, nodes: Node[]): Promise<number> {
  const port = await freePort()
  const hosts = nodes.map(({ port: own, restPort }, n) => [
    `10.0.0.1${n + 1}:5432 port 8008`,
    `127.0.0.1:${own} port ${restPort}`,
  ])
  const config = await readSample('haproxy/postgresql.cfg', {
    ...Object.fromEntries(hosts),
    '127.0.0.1:5432': `127.0.0.1:${port}`,
  })
  await startProxy(place, config, port)
  return port
}

export async function startProxy({ folder, logFolder, started }: Place, config: string, port: number): Promise<void> {
  const file = join(folder, 'haproxy.cfg')
  const logFile = join(logFolder, 'haproxy.log')
  writeFileSync(file, `global\n  log stdout format raw local0\n\n${config}`)
  execFileSync('haproxy', ['-c', '-f', file], { env: { PATH: path }, stdio: ['ignore', 'ignore', 'inherit'] })
  started.use(startProgram('haproxy', { args: ['-f', file, '-db'], logFile }))
  for (const giveUpAt = performance.now() + 10_000; !(await isListening(port)); await sleep(100)) {
    if (performance.now() > giveUpAt) throw new Error(`HAProxy did not start: ${endOf(logFile)}`)
  }
  await sleep(2_000) // its first round of health checks
}

function isListening(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(port, '127.0.0.1')
  socket.on('connect', () => resolve(true))
  socket.on('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}
