import { setTimeout as sleep } from 'node:timers/promises'
import { breachesOf } from '../../../server/test/helpers/global-rules.ts'
import { attackMinutes, type Options } from '../options.ts'
import { ownerKey } from '../product.ts'
import { ledgerBreaches } from '../product-commands.ts'
import { openRandom } from '../random.ts'
import type { AttackResult } from '../run-attack.ts'
import { countStatuses, openPersistentClient } from './client.ts'
import { openFlappingReceiver } from './receiver.ts'
import { endConnections, killDatabase, makeTenant, startWorld, untilSettled, type World } from './world.ts'

const perSecond = 100

/**
 * F01 and K01: server, database and connections are killed at random, again and again, under load, with a bot that
 * answers and a receiver that fails now and then. The client retries what was not acknowledged.
 */
export async function runKills(
  { server, seed, minutes = attackMinutes }: Options,
  started: AsyncDisposableStack,
): Promise<AttackResult> {
  const random = openRandom(seed)
  const receiver = started.use(await openFlappingReceiver(random))
  const world = await startWorld(server, started)
  const tenant = await makeTenant(world.product, receiver.url)
  const client = openPersistentClient({ port: world.product.port, apiKey: tenant.apiKey, perSecond })
  const faults = { server: 0, database: 0, connections: 0 }
  const endAt = performance.now() + minutes * 60_000
  while (performance.now() < endAt) {
    await sleep(3_000 + random() * 7_000)
    await injectFault(world, faults, random())
  }
  const asked = await client.finish()
  const hasSettled = await untilSettled(world.query, tenant)
  const breaches = await breachesOf(world.query, {
    accountId: tenant.accountId,
    asked,
    arrived: receiver.arrived,
    kills: faults.server + faults.database,
    isAnswered: true,
    isDelivered: true,
    secrets: [tenant.apiKey, ownerKey],
    logs: [world.product.log()],
  })
  const broken = [
    ...(hasSettled ? [] : ['N1: turns or deliveries are still pending after two minutes']),
    ...breaches.slice(0, 10),
    ...(await ledgerBreaches(world.product)),
  ]
  const named = { name: 'kills', title: titleOfKills, seconds: minutes * 60 }
  const none = {
    memoryMiB: { idle: 0, peak: 0, after: 0 },
    stallMs: 0,
    failures: {},
    clientLateMs: 0,
    worstMsBySecond: [],
  }
  const attack = { ...faults, events: receiver.arrived.length }
  return { ...named, ...none, attack, latency: { requests: client.latency() }, statuses: countStatuses(asked), broken }
}

export const titleOfKills = 'server, database and connections are killed at random'

type Faults = { server: number; database: number; connections: number }

async function injectFault(world: World, faults: Faults, chance: number): Promise<void> {
  if (chance < 0.4) {
    faults.server += 1
    return world.restart()
  }
  if (chance < 0.7) {
    faults.database += 1
    return killDatabase(world)
  }
  faults.connections += 1
  return endConnections(world)
}
