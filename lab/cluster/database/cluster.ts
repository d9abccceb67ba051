import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { asPostgresUser, endOf } from '../program.ts'
import { path } from '../requirements.ts'
import type { Place } from '../scenario.ts'
import { startEtcd } from './etcd.ts'
import { makeNode, type Node } from './node.ts'

/** A PostgreSQL on three hosts with strict synchronous replication, run by Patroni. */
export type Cluster = {
  nodes: Node[]
  /** With all hosts, as DATABASE_URL takes it. */
  url: string
  /** The same for one address in front of all. */
  urlAt: (port: number) => string
  primary: () => Promise<Node>
  /** Asks Patroni to make the synchronous standby the primary, as before maintenance of a host. */
  switchOver: () => Promise<void>
  /** Waits until another node than this one is the primary. */
  untilReplaced: (former: Node) => Promise<void>
  /** Waits until all nodes replicate, one of them synchronously. */
  untilWhole: () => Promise<void>
}

type Member = { name: string; role: string; state: string }

export async function startCluster({ folder, logFolder, started }: Place): Promise<Cluster> {
  const etcd = await startEtcd(folder, logFolder, started)
  const passwords = { postgres: newPassword(), replicator: newPassword(), patchbay: newPassword() }
  const nodes: Node[] = []
  for (const name of ['n1', 'n2', 'n3']) {
    const node = await makeNode({ name, folder, logFolder, etcd, passwords })
    started.defer(node.kill)
    node.start()
    nodes.push(node)
  }
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')
  const urlOf = (address: string) => `postgres://patchbay:${passwords.patchbay}@${address}/patchbay`

  const primary = async () => {
    const leader = (await readMembers(nodes)).find(({ role, state }) => role === 'leader' && state === 'running')
    const found = nodes.find(({ name }) => name === leader?.name)
    if (!found) throw new Error('there is no primary')
    return found
  }
  const untilWhole = () =>
    waitUntil(nodes, async () => {
      const members = await readMembers(nodes)
      const ready = members.filter(({ state }) => state === 'running' || state === 'streaming')
      const has = (role: string) => ready.some((member) => member.role === role)
      return ready.length === nodes.length && has('leader') && has('sync_standby')
    })

  await untilWhole()
  await makeDatabase((await primary()).port, passwords)
  return {
    nodes,
    url: urlOf(hosts),
    urlAt: (port) => urlOf(`127.0.0.1:${port}`),
    primary,
    untilWhole,
    untilReplaced: (former) => waitUntil(nodes, async () => (await primary().catch(() => former)).name !== former.name),
    switchOver: async () => {
      const leader = await primary()
      const candidate = (await readMembers(nodes)).find(({ role }) => role === 'sync_standby')?.name ?? ''
      const options = ['--leader', leader.name, '--candidate', candidate, '--force']
      const command = ['patronictl', '-c', leader.configFile, 'switchover', 'patchbay', ...options]
      const [program = '', ...args] = asPostgresUser(command)
      await promisify(execFile)(program, args, { env: { PATH: path, LC_ALL: 'C.UTF-8' }, cwd: '/' })
    },
  }
}

function newPassword(): string {
  return randomBytes(18).toString('base64url')
}

/** What the first node that answers says of all. */
async function readMembers(nodes: Node[]): Promise<Member[]> {
  const asked = nodes.map(async ({ restPort }) => {
    const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal: AbortSignal.timeout(2_000) })
    return ((await answer.json()) as { members: Member[] }).members
  })
  return await Promise.any(asked).catch(() => [])
}

const longestWaitMs = 120_000

async function waitUntil(nodes: Node[], holds: () => Promise<boolean>): Promise<void> {
  for (const giveUpAt = performance.now() + longestWaitMs; !(await holds()); await sleep(200)) {
    if (performance.now() < giveUpAt && !nodes.some((node) => node.hasFailed())) continue
    const logs = nodes.map(({ name, logFile }) => `${name}: ${endOf(logFile)}`).join('\n')
    throw new Error(`A host has failed, or the cluster is not whole after two minutes.\n${logs}`)
  }
}

async function makeDatabase(port: number, passwords: { postgres: string; patchbay: string }): Promise<void> {
  const client = new Client(`postgres://postgres:${passwords.postgres}@127.0.0.1:${port}/postgres`)
  await client.connect()
  await client.query(`create role patchbay login password '${passwords.patchbay}'`)
  await client.query('create database patchbay owner patchbay')
  await client.end()
}
