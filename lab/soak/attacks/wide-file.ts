import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ShownImport } from '@patchbay/contract/app/imports.ts'
import { makePeople, start, upload } from '../../../server/test/helpers/imports.ts'
import { findPostmaster } from '../../common/server-process.ts'
import { type Browser, openBrowser } from '../browser.ts'
import type { DatabaseAddress } from '../product.ts'
import { openTenants } from '../tenants.ts'
import { type Attack, type AttackOrder, type Counts, count } from './attack.ts'

const rows = 240
const commas = 60_000
/** Of the three that an account may have unfinished. */
const filesAtOnce = 2

/** Limits for the neighbour, who imports a hundred rows, and for each backend of the database. */
const most = { importMs: 10_000, backendMiB: 200 }

/** One account imports a file of commas again and again, and its neighbour a file of a hundred people. */
export const wideFile: Attack = async (order, started) => {
  const [attacker, neighbour] = await openBrowsers(order, started)
  return async (stopping) => {
    const counts: Counts = {}
    const watching = watchBackends(order.database, counts, stopping)
    const attacking = Array.from({ length: filesAtOnce }, () => attack(attacker, counts, stopping))
    await sleep(5_000, undefined, { signal: stopping }).catch(() => {})
    while (!stopping.aborted) await importPeople(neighbour, counts, stopping)
    await Promise.all([...attacking, watching])
    return counts
  }
}

async function openBrowsers(order: AttackOrder, started: AsyncDisposableStack) {
  const tenants = started.use(openTenants(order))
  const open = async () => started.use(openBrowser(order.port, (await tenants.make()).session))
  return [await open(), await open()] as const
}

/** Sends the file, lets it be read for a while, and discards it; what refuses to go is left, and another one is begun. */
async function attack(browser: Browser, counts: Counts, stopping: AbortSignal): Promise<void> {
  const file = `name,phone,mail\n${`Ana${','.repeat(commas)}\n`.repeat(rows)}`
  while (!stopping.aborted) {
    try {
      const id = await upload(browser, file, 120_000)
      count(counts, 'files sent')
      await sleep(60_000, undefined, { signal: stopping }).catch(() => {})
      const { status } = await browser.call('DELETE', `/api/imports/${id}`)
      count(counts, status === 200 ? 'discarded' : `broken: files that could not be discarded (${status})`)
    } catch {
      count(counts, 'files not sent') // as many as may be are unfinished
      await sleep(5_000, undefined, { signal: stopping }).catch(() => {})
    }
  }
}

async function importPeople(browser: Browser, counts: Counts, stopping: AbortSignal): Promise<void> {
  const began = performance.now()
  const id = await upload(browser, makePeople(100))
  const isOver =
    (await isIn(browser, id, 'ready', stopping)) &&
    (await start(browser, id).then(() => isIn(browser, id, 'finished', stopping)))
  const tookMs = Math.round(performance.now() - began)
  counts['slowest import of the neighbour (ms)'] = Math.max(counts['slowest import of the neighbour (ms)'] ?? 0, tookMs)
  if (isOver) count(counts, 'imports of the neighbour')
  if (tookMs > most.importMs) count(counts, `broken: imports of the neighbour that took over ${most.importMs} ms`)
}

/** False: the attack is over before. */
async function isIn(browser: Browser, id: string, state: ShownImport['state'], stopping: AbortSignal) {
  while (!stopping.aborted) {
    const { status, body } = await browser.call('GET', `/api/imports/${id}`)
    if (status === 200 && body.state === state) return true
    await sleep(200)
  }
  return false
}

/** The memory of each backend that it does not share with others. */
async function watchBackends({ host }: DatabaseAddress, counts: Counts, stopping: AbortSignal): Promise<void> {
  const name = 'largest backend (MiB)'
  while (!stopping.aborted) {
    const postmaster = findPostmaster(host ?? '')
    if (postmaster === undefined) throw new Error('there is no database to watch')
    for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
      const mebibytes = privateMiB(pid, postmaster)
      counts[name] = Math.max(counts[name] ?? 0, mebibytes)
      if (mebibytes > most.backendMiB) counts[`broken: MiB of a backend, not ${most.backendMiB} at most`] = counts[name]
    }
    await sleep(100)
  }
}

function privateMiB(pid: string, parent: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    if (Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) !== parent) return 0
    return Math.round(Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024)
  } catch {
    return 0 // it has ended
  }
}
