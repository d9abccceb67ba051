import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openClaim } from '../../../src/journey/delivery/claim/claim.ts'
import { openDueReceivers } from '../../../src/journey/delivery/claim/due-receivers.ts'
import { openSlots } from '../../../src/journey/delivery/slots/slots.ts'
import { openReceiver } from '../../../src/outbox/receiver-store.ts'
import type { Db } from '../../../src/platform/database/db.ts'
import { type AccountId, newId, type ReceiverId } from '../../../src/platform/ids.ts'
import { saveUrl } from '../../helpers/deliveries.ts'
import { startApp } from '../../helpers/harness.ts'

type Waiting = { receiverId: ReceiverId; mark: string; people: number; seq: number; dueInSeconds: number }

/** A message to each of these people. */
async function addWaiting(db: Db, accountId: AccountId, { receiverId, mark, people, seq, dueInSeconds }: Waiting) {
  await sql`
    insert into deliveries (account_id, id, receiver_id, contact_id, outgoing_seq, author, payload, due_at)
    select ${accountId}, 'msg_' || replace(gen_random_uuid()::text, '-', ''), ${receiverId}, ${mark} || n, ${seq}, 'bot', '{}',
      now() + ${dueInSeconds} * interval '1 s'
    from generate_series(1, ${people}::integer) n
  `.execute(db)
}

/** A process that claims, and a channel beside the webhook of an account. */
async function startClaiming() {
  await using starting = new AsyncDisposableStack()
  const app = starting.use(await startApp())
  const { accountId } = await app.makeAccount()
  await saveUrl(app, { accountId }, 'http://127.0.0.1:9/')
  const channel = newId('chn')
  await app.db.transaction().execute((tx) => openReceiver(tx, { accountId, receiverId: channel }, 'http://127.0.0.1:9'))
  const slots = openSlots(() => ({ inFlight: 4, slowAfterMs: 1_000 }))
  const dueReceivers = openDueReceivers(slots.leaseBudget)
  const { claim } = openClaim({ db: app.db, pool: app.pools.batch, dueReceivers, ...slots })
  const started = starting.move()
  const wait = (waiting: Waiting) => addWaiting(app.db, accountId, waiting)
  const addDue = (receiverId: ReceiverId) => dueReceivers.add({ accountId, receiverId })
  return { app, channel, wait, claim, addDue, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

const contactsOf = (events: { receiverId: string; contactId: string | null }[]) =>
  events.map(({ receiverId, contactId }) => [receiverId, contactId?.replace(/\d+$/, '')])

test('people who are on a channel and elsewhere get everything in one line, and those who wait there hold up nobody elsewhere', async () => {
  await using claiming = await startClaiming()
  const { channel, wait, claim } = claiming
  // Their message over the channel waits, with what follows it to the webhook, before and after what somebody else waits for.
  await wait({ receiverId: channel, mark: 'both', people: 200, seq: 1, dueInSeconds: 60 })
  await wait({ receiverId: 'reply', mark: 'both', people: 200, seq: 2, dueInSeconds: -30 })
  await wait({ receiverId: 'reply', mark: 'other', people: 3, seq: 1, dueInSeconds: -20 })
  await wait({ receiverId: 'reply', mark: 'both', people: 200, seq: 3, dueInSeconds: -10 })
  assert.deepEqual(contactsOf(await claim(100)), Array(3).fill(['reply', 'other']))
})

test('a message over a channel is claimed for the channel alone, also by a process that has seen none before', async () => {
  await using claiming = await startClaiming()
  const { app, channel, wait, claim, addDue } = claiming
  await wait({ receiverId: 'reply', mark: 'both', people: 2, seq: 2, dueInSeconds: -30 })
  assert.equal((await claim(100)).length, 2, 'there was nothing over a channel when it looked at all receivers')
  await sql`update deliveries set lease_token = null, leased_until = null`.execute(app.db)
  await wait({ receiverId: channel, mark: 'both', people: 2, seq: 1, dueInSeconds: 0 })
  addDue('reply')
  assert.deepEqual(await claim(100), [])
  const leased = await sql`select from deliveries where lease_token is not null`.execute(app.db)
  assert.equal(leased.rows.length, 0, 'it is free for the claim of the channel')
  addDue(channel)
  assert.deepEqual(contactsOf(await claim(100)), Array(2).fill([channel, 'both']))
})
