import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { incomingPath, outgoingPath, post } from '../../common/public-api.ts'
import { openTenants, type Tenant } from '../tenants.ts'
import type { Attack, AttackOrder, Counts } from './attack.ts'
import { count } from './attack.ts'
import { keepInFlight, openCountingSender } from './requests.ts'

/** Sixty requests of one tenant that wait for rows locked by another session. */
export const lockedRows: Attack = async (order, started) => {
  const { apiKey, holder, port } = await setUp(order, started)
  return async (stopping) => {
    const counts: Counts = {}
    const send = openCountingSender(port, counts)
    const holding = holder.hold(stopping, counts)
    let asked = 0
    await keepInFlight(60, stopping, (n) => {
      asked += 1
      const customData = { fromId: 'held', customChannel: 'chat', body: `Number ${asked}` }
      const contact = { phone: holder.phone() }
      const wanted = n % 2 === 0 ? post(apiKey, '/v1/contacts', contact) : post(apiKey, outgoingPath, { customData })
      return send({ ...wanted, headers: { ...wanted.headers, 'idempotency-key': `${order.seed}-${asked}` } })
    })
    await holding
    return counts
  }
}

/** Fifty messages at a time to a contact whose conversation is locked. */
export const heldContact: Attack = async (order, started) => {
  const { apiKey, holder, port } = await setUp(order, started)
  return async (stopping) => {
    const counts: Counts = {}
    const send = openCountingSender(port, counts)
    const holding = holder.hold(stopping, counts)
    let asked = 0
    await keepInFlight(50, stopping, () => {
      asked += 1
      const customData = { messageSid: `${order.seed} ${asked}`, fromId: 'held', toId: 'x', body: `Number ${asked}` }
      return send(post(apiKey, incomingPath, { customData }))
    })
    await holding
    return counts
  }
}

async function setUp({ database, port }: AttackOrder, started: AsyncDisposableStack) {
  const tenants = started.use(openTenants({ database, port }))
  const tenant = await tenants.make()
  const customData = { messageSid: 'the first', fromId: 'held', toId: 'x', body: 'Hello' }
  await openCountingSender(port, {})(post(tenant.apiKey, incomingPath, { customData }))
  const client = new Client(database)
  client.on('error', () => {})
  await client.connect()
  started.defer(() => client.end())
  return { apiKey: tenant.apiKey, port, holder: openHolder(client, tenant) }
}

/** Locks a contact, its conversation and the phone number of an uncommitted contact, for seconds at a time. */
function openHolder(client: Client, { accountId }: Tenant) {
  let round = 0
  const phone = () => `+1555${String(1_000_000 + round)}`

  async function holdOnce(stopping: AbortSignal): Promise<void> {
    round += 1
    await client.query('begin')
    await client.query('select from contacts where account_id = $1 for update', [accountId])
    await client.query('select from conversations where account_id = $1 for update', [accountId])
    const values = [accountId, `con_held_${round}`, phone()]
    await client.query('insert into contacts (account_id, id, phone) values ($1, $2, $3)', values)
    for (let waited = 0; waited < 50 && !stopping.aborted; waited += 1) await sleep(100)
  }

  return {
    phone,
    hold: async (stopping: AbortSignal, counts: Counts) => {
      while (!stopping.aborted) {
        await holdOnce(stopping).then(
          () => count(counts, 'held'),
          () => count(counts, 'not held'),
        )
        await client.query('rollback')
        await sleep(50)
      }
    },
  }
}
