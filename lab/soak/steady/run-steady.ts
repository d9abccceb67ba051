import { writeFile } from 'node:fs/promises'
import { breachesOf } from '../../../server/test/helpers/global-rules.ts'
import { readMemory } from '../../bench/measure.ts'
import { openBrowser } from '../browser.ts'
import { connectChat } from '../connect-chat.ts'
import { type Answered, countStatuses, openPersistentClient } from '../kills/client.ts'
import { openFlappingReceiver } from '../kills/receiver.ts'
import { makeTenant, startWorld, untilSettled } from '../kills/world.ts'
import type { Options } from '../options.ts'
import { ownerKey, type Product } from '../product.ts'
import { ledgerBreaches } from '../product-commands.ts'
import { openRandom } from '../random.ts'
import type { AttackResult } from '../run-attack.ts'
import { openTenants } from '../tenants.ts'
import { openFaults } from './faults.ts'
import { growthOf, type Sample } from './flat.ts'
import { startOldRemoval } from './old-removal.ts'
import { openOtherRequests } from './other-requests.ts'
import { backUp, checkRestored, makeBackupFolders } from './restored-copy.ts'
import { startWatch, type Watched } from './watch.ts'

const perSecond = 50

export const titleOfSteady = 'mixed load with faults and attacks at random, while old messages are removed'

/**
 * A long time of everything at once. All rules hold; memory and disk stay as they are once old messages are removed as fast as
 * new ones come; and a backup that was taken meanwhile can be restored to a point in time.
 */
export async function runSteady(options: Options, started: AsyncDisposableStack): Promise<AttackResult> {
  const { seed, minutes = 30 } = options
  const keptMinutes = Math.max(4, minutes / 7)
  const random = openRandom(seed)
  const setup = await setUp(options, random, started)
  const { world, tenant, chat, receiver, folders } = setup
  const load = { port: world.product.port, apiKey: tenant.apiKey }
  const client = openPersistentClient({ ...load, perSecond, lateCopyMs: (keptMinutes + 4) * 60_000 })
  const others = openOtherRequests({ ...load, chat, random })
  const removal = await startOldRemoval(world.query, keptMinutes)
  const watch = startWatch(world, tenant, keptMinutes)
  const faults = openFaults(world, { say: options.say, seed, random, duringFault: others.duringFault })

  const beganAt = performance.now()
  const isBefore = (share: number) => performance.now() < beganAt + share * minutes * 60_000
  while (isBefore(0.3)) await faults.next('any')
  await backUp(world.product, folders)
  while (isBefore(0.7)) await faults.next('none that ends the server')
  const until = new Date()
  while (isBefore(1)) await faults.next('none that ends the server')

  const [persistent, other] = [await client.finish(), await others.finish()]
  const asked = [...persistent, ...other.incoming]
  const answeredSince = new Date(Date.now() - keptMinutes * 0.8 * 60_000) // the answers to older messages may be removed
  await removal.stop()
  const watched = await watch.stop()
  const kills = faults.counts.server + faults.counts.database
  const growth = growthOf(await keepSamples(options, watched), minutes * 60_000)
  const broken = [
    ...(await breachesAfter(setup, { asked, watched, answeredSince, kills })),
    ...other.refusals,
    ...(await lostChats(
      setup,
      other.chats.filter(({ at }) => at > answeredSince.getTime()),
    )),
    ...growth.broken,
    ...(removal.counts.removed > 0 ? [] : ['nothing was removed']),
    ...(await checkRestored(world.product, folders, { tenant, asked, until })),
  ]
  const did = {
    ...faults.counts,
    messages: asked.length,
    'other requests': other.count,
    events: receiver.arrived.length,
  }
  const removed = { removed: removal.counts.removed, 'rounds of removal': removal.counts.rounds }
  return {
    ...{ name: 'steady', title: titleOfSteady, seconds: minutes * 60, broken },
    ...{ attack: { ...did, ...removed, ...growth.figures }, latency: { requests: client.latency() } },
    ...{ statuses: countStatuses(asked), memoryMiB: memoryOf(watched, world.product.pid) },
    ...{ stallMs: 0, failures: {}, clientLateMs: 0, worstMsBySecond: [] },
  }
}

/** With the logs: whoever asks why it grew needs more than two numbers. */
async function keepSamples({ logFolder }: Options, { samples }: Watched): Promise<Sample[]> {
  if (logFolder) await writeFile(`${logFolder}/steady-samples.json`, JSON.stringify(samples))
  return samples
}

type Setup = Awaited<ReturnType<typeof setUp>>

async function setUp({ server, logFolder }: Options, random: () => number, started: AsyncDisposableStack) {
  const folders = await makeBackupFolders(started)
  const receiver = started.use(await openFlappingReceiver(random))
  const world = await startWorld(server, started, {
    more: { ARCHIVE_DIR: folders.archive },
    logFile: logFolder && `${logFolder}/steady.log`,
  })
  const tenant = await makeTenant(world.product, receiver.url)
  return { folders, receiver, world, tenant, chat: await makeChat(world.product) }
}

/** Of an account that nobody else writes to. Undefined: versions before know no such channel. */
async function makeChat(product: Product): Promise<string | undefined> {
  await using tenants = openTenants(product)
  using browser = openBrowser(product.port, (await tenants.make()).session)
  return await connectChat(browser).catch(() => undefined)
}

/** What visitors of the website chat were told is kept, and is not there once. */
async function lostChats({ world, chat }: Setup, chats: Answered[]): Promise<string[]> {
  const { rows } = await world.query('select body from messages where channel = $1', [chat])
  const kept = Map.groupBy(rows, ({ body }) => body)
  return chats
    .map(({ messageSid }) => messageSid)
    .filter((text) => kept.get(text)?.length !== 1)
    .slice(0, 5)
    .map((text) => `N1: a visitor was told that ${text} is kept; it is there ${kept.get(text)?.length ?? 0} times`)
}

type After = { asked: Answered[]; watched: Watched; answeredSince: Date; kills: number }

async function breachesAfter(
  { world, tenant, receiver }: Setup,
  { asked, watched, answeredSince, kills }: After,
): Promise<string[]> {
  const hasSettled = await untilSettled(world.query, tenant)
  const breaches = await breachesOf(world.query, {
    ...{ accountId: tenant.accountId, asked, arrived: receiver.arrived, kills },
    ...{ isAnswered: true, answeredSince, isDelivered: true },
    ...{ isRemoving: true, removedDeliveries: watched.deliveries },
    ...{ secrets: [tenant.apiKey, ownerKey], logs: [world.product.log()] },
  })
  return [
    ...(hasSettled ? [] : ['N1: turns or deliveries are still pending after two minutes']),
    ...[...new Set([...watched.broken, ...breaches])].slice(0, 10),
    ...(await ledgerBreaches(world.product)),
  ]
}

function memoryOf({ samples }: Watched, pid: number): AttackResult['memoryMiB'] {
  const inMiB = (bytes: number | undefined) => Math.round((bytes ?? Number.NaN) / 2 ** 20)
  const peak = Math.max(...samples.map(({ memory }) => memory))
  return { idle: inMiB(samples[0]?.memory), peak: inMiB(peak), after: inMiB(readMemory(pid).now) }
}
