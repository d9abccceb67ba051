// Runs alone: takes long, it kills servers under load

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createList } from '../../../src/people/lists/change.ts'
import type { Db } from '../../../src/platform/database/db.ts'
import { newsOver, putOnList, untilCast } from '../../helpers/broadcasts.ts'
import { openClient } from '../../helpers/https-client.ts'
import { openOwnerCalls } from '../../helpers/owner-calls.ts'
import { castProviders } from '../../helpers/providers/cast-audience.ts'
import { apiKey } from '../../helpers/server-process.ts'
import { startShared } from '../../helpers/shared-processes.ts'
import { until } from '../../helpers/until.ts'

/** `CAST_KIND=sms CAST_SIZE=2000 npm run test:only -- …` for a long run. */
const kind = (process.env.CAST_KIND ?? 'telegram') as keyof typeof castProviders
const size = Number(process.env.CAST_SIZE ?? 200)

/** What may have left and nobody knows: it says so, and is never there a third time. */
const readMarked = async (db: Db): Promise<Set<string>> => {
  const { rows } = await sql<{ address: string }>`
    select p.address from delivery_parts p join deliveries d on d.account_id = p.account_id and d.id = p.delivery_id
    where p.resent_at is not null or d.error_category = 'in_doubt'
  `.execute(db)
  return new Set(rows.map(({ address }) => address))
}

/** The leases of the dead run out at once, not after half a minute. */
const endLeases = (db: Db) => sql`update deliveries set leased_until = now() where leased_until is not null`.execute(db)

test(`a broadcast to ${size} people over ${kind}, of whose two workers one is killed twice: each gets it once, or it says that nobody knows, and it adds up all the time`, {
  timeout: 300_000 + size * 1_000,
}, async (t) => {
  await using provider = await castProviders[kind]()
  await using world = await startShared(provider.environment, provider.ofApi)
  const { db, accountId, api, start } = world
  const client = openClient({ connections: 8 })
  world.started.defer(async () => client.close())
  const call = await openOwnerCalls(db, client, () => api.url)
  const [first] = [await start('worker'), await start('worker')]
  const { channelId, contactIds } = await provider.meet({ db, accountId, call }, size)
  const listId = await createList(db, accountId, 'Everybody')
  await putOnList(db, { accountId, listId }, contactIds)
  await db.updateTable('channels').set({ perSecond: 50 }).execute()

  const started = await api.post('/broadcasts', { listId, ...newsOver(channelId) })
  assert.equal(started.status, 201, JSON.stringify(started.body))
  const id = started.body.id ?? ''
  const get = async (path: string) => {
    const { status, headers, text } = await client.send(`${api.url}/v1${path}?apiKey=${apiKey}`)
    return { status, headers, body: JSON.parse(text) }
  }
  const looking = untilCast({ get }, id, ({ state, counts }) => state === 'finished' && counts.waiting === 0, 250_000 + size * 500)
  await until(() => provider.arrived().size > size * 0.2, 'it does not run', 60_000)
  first.child.kill('SIGKILL')
  await first.exited
  await endLeases(db)
  const second = await start('worker')
  await until(() => provider.arrived().size > size * 0.5, 'it does not go on', 120_000)
  second.child.kill('SIGKILL')
  await second.exited
  await endLeases(db)
  await start('worker')

  const { counts } = await looking
  const marked = await readMarked(db)
  const arrived = provider.arrived()
  const { rows: addresses } = await sql<{ address: string }>`
    select address from contact_channels where channel_id = ${channelId}
  `.execute(db)
  assert.equal(addresses.length, size)
  for (const { address } of addresses) {
    const times = arrived.get(address) ?? 0
    const mayBe = marked.has(address) ? [0, 1, 2] : [1]
    assert.ok(mayBe.includes(times), `${times} came to ${address}`)
  }
  const messages = await db.selectFrom('messages').select('contactId').where('broadcastId', 'is not', null).execute()
  assert.deepEqual([messages.length, new Set(messages.map(({ contactId }) => contactId)).size], [size, size])
  assert.equal(counts.recipients, counts.sent + counts.failed)
  t.diagnostic(`${counts.sent} sent, ${counts.failed} failed, ${marked.size} say that nobody knows`)
  assert.ok(marked.size <= 32, 'no more than were under way at two kills')
})
