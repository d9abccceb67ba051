import { setTimeout as sleep } from 'node:timers/promises'
import { openClient } from '../../../server/test/helpers/https-client.ts'
import { openFlappingReceiver } from '../kills/receiver.ts'
import { makeTenant, startWorld, type World } from '../kills/world.ts'
import type { Options } from '../options.ts'
import { openRandom } from '../random.ts'
import type { AttackResult } from '../run-attack.ts'
import type { Tenant } from '../tenants.ts'

/** Two more are on the list: one has opted out before it starts, the last one does so before their turn. */
const readers = 5_000

export const titleOfBroadcast = `a broadcast to ${readers} contacts, with the server killed twice`

/** Every reader gets one message, whatever dies; who opted out gets nothing; the results add up. */
export async function runBroadcast(
  { server, seed, say }: Options,
  started: AsyncDisposableStack,
): Promise<AttackResult> {
  const beganAt = performance.now()
  const receiver = started.use(await openFlappingReceiver(openRandom(seed), 0, 10))
  const world = await startWorld(server, started, { more: { RATE_LIMIT_PER_MINUTE: '0' } })
  const tenant = await makeTenant(world.product, receiver.url)
  await fillList(world, tenant)
  const id = await startIt(world, tenant)
  const arrived = () => new Set(receiver.arrived.map(({ webhookId }) => webhookId)).size
  for (const share of [0.3, 0.6]) {
    while (arrived() < readers * share) await sleep(50)
    say(`  killed after ${arrived()}`)
    await world.restart()
    if (share === 0.3) await optOutLast(world, tenant)
  }
  const counts = await untilFinished(world, tenant, id)
  const seconds = (performance.now() - beganAt) / 1_000
  const broken = await brokenRules(world, tenant, { counts, arrived: receiver.arrived })
  const attack = { messages: counts.sent, events: receiver.arrived.length, kills: 2, seconds: Math.round(seconds) }
  return { name: 'broadcast', title: titleOfBroadcast, seconds, ...nothingMeasured, attack, broken }
}

const nothingMeasured = {
  memoryMiB: { idle: 0, peak: 0, after: 0 },
  stallMs: 0,
  failures: {},
  clientLateMs: 0,
  worstMsBySecond: [],
  latency: {},
  statuses: {},
}

const listId = `lst_${'5'.repeat(32)}`

async function fillList({ query }: World, { accountId }: Tenant): Promise<void> {
  await query(`insert into lists (account_id, id, name) values ($1, $2, 'Everybody')`, [accountId, listId])
  await query(
    `insert into contacts (account_id, id, external_id, first_name, opted_out_at, opted_out_by)
     select $1, 'con_' || lpad(to_hex(n), 32, '0'), 'reader-' || n, 'Name' || n, case n when 100 then now() end,
       case n when 100 then 'contact' end
     from generate_series(1, $2::integer) as n`,
    [accountId, readers + 2],
  )
  await query(
    `insert into list_members (account_id, list_id, contact_id) select account_id, $2, id from contacts where account_id = $1`,
    [accountId, listId],
  )
}

async function optOutLast({ query }: World, { accountId }: Tenant): Promise<void> {
  await query(
    `update contacts set opted_out_at = now(), opted_out_by = 'contact' where account_id = $1 and external_id = $2`,
    [accountId, `reader-${readers + 2}`],
  )
}

async function startIt(world: World, tenant: Tenant): Promise<string> {
  const body = {
    listId,
    customChannel: 'soak',
    body: 'Hello {{firstName}}, this is one of many.',
    ratePerMinute: 6_000,
  }
  const { status, answer } = await ask(world, tenant, '/broadcasts', body)
  if (status !== 201) throw new Error(`the broadcast did not start: ${JSON.stringify(answer)}`)
  return answer.id
}

type Counts = { recipients: number; sent: number; failed: number; waiting: number; leftOut: Record<string, number> }

async function untilFinished(world: World, tenant: Tenant, id: string): Promise<Counts> {
  const giveUpAt = performance.now() + 300_000
  for (;;) {
    const { answer } = await ask(world, tenant, `/broadcasts/${id}`)
    if (answer.state === 'finished' && answer.counts.waiting === 0) return answer.counts
    if (performance.now() > giveUpAt) return answer.counts
    await sleep(500)
  }
}

async function ask({ product }: World, { apiKey }: Tenant, path: string, body?: object) {
  const client = openClient({ connections: 1 })
  try {
    const { status, text } = await client.send(`https://127.0.0.1:${product.port}/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    })
    return { status, answer: JSON.parse(text) }
  } finally {
    client.close()
  }
}

type Seen = { counts: Counts; arrived: { webhookId: string; contact: string }[] }

async function brokenRules({ query }: World, { accountId }: Tenant, { counts, arrived }: Seen): Promise<string[]> {
  const { rows } = await query('select id, contact_id from messages where account_id = $1', [accountId])
  const stored = new Set(rows.map(({ id }) => String(id)))
  const readersOf = new Set(rows.map((row) => String(row.contact_id)))
  const ids = new Set(arrived.map(({ webhookId }) => webhookId))
  const { recipients, sent, failed, waiting, leftOut } = counts
  const left = Object.values(leftOut).reduce((sum, n) => sum + n, 0)
  const rules: [isBroken: boolean, says: string][] = [
    [stored.size !== readers, `${stored.size} messages were made, not ${readers}`],
    [readersOf.size !== readers, `they went to ${readersOf.size} contacts`],
    [ids.size !== readers || [...ids].some((id) => !stored.has(id)), `${ids.size} ids arrived`],
    [
      arrived.length - ids.size > 4,
      `${arrived.length - ids.size} arrived again, more than were in flight at two kills`,
    ],
    [recipients !== readers + 2 || sent !== readers, `it counts ${sent} of ${recipients} as sent`],
    [recipients !== sent + failed + waiting + left, `it does not add up: ${JSON.stringify(counts)}`],
    [leftOut.optedOut !== 2, `${leftOut.optedOut} counted as opted out, not 2`],
    [
      arrived.some(({ contact }) => [`reader-100`, `reader-${readers + 2}`].includes(contact)),
      'one who opted out got it',
    ],
  ]
  return rules.filter(([isBroken]) => isBroken).map(([, says]) => says)
}
