import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { makePeople, start, upload } from '../../../server/test/helpers/imports.ts'
import { dueTimes } from '../../common/due-times.ts'
import { incomingPath, outgoingPath, post } from '../../common/public-api.ts'
import { openSender } from '../../common/sender.ts'
import { type Browser, openBrowser } from '../../soak/browser.ts'
import { openTenants, type Tenant } from '../../soak/tenants.ts'
import { apiKey } from '../servers/start.ts'
import { teach } from '../teach.ts'
import { type Beside, compare, meanwhile, type World } from './compare.ts'

const questionsPerSecond = 5
const seconds = 20
const rows = 30_000

/**
 * Answers to one account, from when they are due until they are kept, beside another that imports 30,000 contacts, one file after
 * another, while its receiver accepts connections and never responds.
 */
export async function besideImport(world: World): Promise<Beside> {
  const { server, database, rounds, started } = world
  const questions = await teach(server, database)
  const { port, certificate } = server
  const { sendOnce } = openSender({ port, certificate })
  let asked = 0
  const ask = async () => {
    const { rows: before } = await database.query<{ now: Date }>('select now()')
    const sent: ReturnType<typeof sendOnce>[] = []
    for await (const { n } of dueTimes(questionsPerSecond)) {
      if (n === questionsPerSecond * seconds) break
      asked += 1
      const body = `${questions[asked % questions.length]} ${asked}`
      const customData = { messageSid: `asked ${asked}`, fromId: `asking ${asked}`, toId: 'bot', body }
      sent.push(sendOnce(post(apiKey, incomingPath, { customData })))
    }
    await Promise.all(sent)
    while ((await database.query(`select from turns where account_id = ${owner} limit 1`)).rowCount !== 0)
      await sleep(50)
    return readMedian(world, before[0]?.now ?? new Date())
  }
  const tenants = started.use(
    openTenants({ port, database: { host: `${server.dataDir}/postgres`, user: 'patchbay', database: 'postgres' } }),
  )
  const heavy = await tenants.make({ receiver: await listenSilently(started), campaign: { quietSeconds: 0 } })
  await ask()
  return compare({
    ...{
      what: 'p50 of answers, due → kept, beside an import of 30,000 and a receiver that hangs',
      unit: 'ms',
      goal: 2,
      rounds,
    },
    alone: ask,
    beside: () => meanwhile((stopping) => burden({ port, heavy, sendOnce }, stopping), ask),
  })
}

const owner = '(select owner_account_id from installation)'

async function readMedian({ database }: World, since: Date): Promise<number> {
  const { rows: found } = await database.query<{ ms: number }>(
    `select percentile_cont(0.5) within group (
       order by extract(epoch from a.created_at - m.created_at)::float8 * 1000 - c.quiet_ms
     ) as ms
     from answers a
     join messages m on m.account_id = a.account_id and m.contact_id = a.contact_id and m.seq = a.from_seq
     join conversations c on c.account_id = a.account_id and c.contact_id = a.contact_id
     where a.account_id = ${owner} and a.created_at >= $1`,
    [since],
  )
  return found[0]?.ms ?? Number.NaN
}

type Burden = { port: number; heavy: Tenant; sendOnce: ReturnType<typeof openSender>['sendOnce'] }

async function burden({ port, heavy, sendOnce }: Burden, stopping: AbortSignal): Promise<void> {
  using browser = openBrowser(port, heavy.session)
  const sending = (async () => {
    for await (const { n } of dueTimes(20)) {
      if (stopping.aborted) return
      const customData = { fromId: `person ${n}`, customChannel: 'chat', body: `Number ${n}` }
      void sendOnce(post(heavy.apiKey, outgoingPath, { customData }))
    }
  })()
  while (!stopping.aborted) await importOthers(browser)
  await sending
}

let imports = 0

/** A file of people whom none before had. */
async function importOthers(browser: Browser): Promise<void> {
  imports += 1
  const people = makePeople(rows).replaceAll('+44 7700', `+44 77${String(imports).padStart(2, '0')}`)
  const id = await upload(browser, people.replaceAll('ext-', `ext-${imports}-`), 120_000)
  await untilState(browser, id, 'ready')
  await start(browser, id)
  await untilState(browser, id, 'finished')
}

async function untilState(browser: Browser, id: string, state: string): Promise<void> {
  for (const giveUpAt = performance.now() + 300_000; ; await sleep(300)) {
    const { body } = await browser.call('GET', `/api/imports/${id}`)
    if (body.state === state) return
    if (performance.now() > giveUpAt) throw new Error(`the import is ${JSON.stringify(body)}, not ${state}`)
  }
}

async function listenSilently(started: AsyncDisposableStack): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.resume()
  })
  started.defer(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
