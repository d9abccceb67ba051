import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { pino } from 'pino'
import { openDbForLongStatements } from '../../../src/platform/database/db.ts'
import { migrate, underMigrationLock } from '../../../src/platform/database-setup/migrate.ts'
import { newId } from '../../../src/platform/ids.ts'
import { seal } from '../../../src/platform/secrets/seal.ts'
import { makeDatabase } from '../../helpers/databases.ts'
import { verify } from '../../helpers/deliveries.ts'
import { secretKey, startApp } from '../../helpers/harness.ts'
import { makeOldSchema } from '../../helpers/old-schema.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { until } from '../../helpers/until.ts'

const accountId = newId('acc')
const secret = 'whsec_c2VjcmV0IG9mIHRoZSB0ZXN0cyBzZWNyZXQ='
const contacts = { reply: newId('con'), simulator: newId('con') }

type Kind = 'reply' | 'recharge' | 'alert' | 'simulator'
type Waiting = { kind: Kind; id: string; payload: string; attempts: number; hasDeadLease: boolean }

/** Of every kind: one that was never tried, one that was tried twice, and one that a process had leased when it died. */
const waiting: Waiting[] = (['reply', 'recharge', 'alert', 'simulator'] as const).flatMap((kind) =>
  [0, 2, 1].map((attempts, n) => ({
    kind,
    id: newId(kind === 'reply' || kind === 'simulator' ? 'msg' : 'evt'),
    payload: `{"text":"ünï \\u2028 ${kind} ${n}"}`,
    attempts,
    hasDeadLease: n === 2,
  })),
)

/** As the version before wrote them. */
async function fill(client: Client, url: string): Promise<void> {
  await client.query(`insert into accounts (id, kind) values ($1, 'agency')`, [accountId])
  for (const [kind, contactId] of Object.entries(contacts)) {
    const values = [accountId, contactId, kind, kind === 'simulator']
    await client.query(
      'insert into contacts (account_id, id, external_id, is_simulated) values ($1, $2, $3, $4)',
      values,
    )
    await client.query('insert into conversations (account_id, contact_id) values ($1, $2)', values.slice(0, 2))
  }
  for (const kind of ['reply', 'recharge', 'alert', 'simulator']) {
    const sealed = seal(secretKey, secret, `endpoints ${accountId} ${kind}`)
    const address = kind === 'simulator' ? 'simulator:' : url + kind
    await client.query('insert into endpoints (account_id, kind, url, secret) values ($1, $2, $3, $4)', [
      ...[accountId, kind, address, sealed],
    ])
  }
  for (const [n, { kind, id, payload, attempts, hasDeadLease }] of waiting.entries()) {
    const isMessage = kind === 'reply' || kind === 'simulator'
    await client.query(
      `insert into deliveries (account_id, id, kind, contact_id, outgoing_seq, author, payload, attempts, first_attempt_at,
          error_category, lease_token, leased_until)
        values ($1, $2, $3, $4, $5, $6, $7, $8::integer, case when $8 > 0 then now() end, case when $8 > 0 then 'timeout' end,
          case when $9 then gen_random_uuid() end, case when $9 then now() - interval '1 s' end)`,
      [
        ...[accountId, id, kind, isMessage ? contacts[kind] : null, isMessage ? n : null, isMessage ? 'bot' : null],
        ...[payload, attempts, hasDeadLease],
      ],
    )
  }
}

test('what waited for every receiver before receivers had their name leaves once, with the same bytes and a valid signature', async () => {
  await using receiver = await startReceiver()
  await using database = await makeDatabase({ empty: true })
  await makeOldSchema(database.address, 60)
  const client = new Client(database.address)
  await client.connect()
  await using _ = { [Symbol.asyncDispose]: () => client.end() }
  await fill(client, receiver.url)
  const names =
    "'deliveries', 'endpoints', 'receivers', 'channels', 'channel_labels', 'deliveries_open', 'deliveries_pkey'"
  const before = (await client.query(`select oid, relfilenode from pg_class where relname in (${names}) order by oid`))
    .rows
  // What is called `channels` now is another table, which is new.
  const files = `select oid, relfilenode from pg_class
    where relname in (${names}) and oid in (${before.map(({ oid }) => oid).join()}) order by oid`
  const db = openDbForLongStatements(database.address, pino({ enabled: false }))
  await underMigrationLock(db, migrate)
  await db.destroy()
  assert.deepEqual((await client.query(files)).rows, before, 'no table and no index is written anew')

  await using app = await startApp({ ROLE: 'all' }, database)
  await until(
    async () => (await client.query('select from deliveries where due_at is not null')).rowCount === 0,
    'not all have left',
  )
  const dialled = waiting.filter(({ kind }) => kind !== 'simulator')
  assert.deepEqual(
    receiver.requests.map(({ path, headers, body }) => [path, headers['webhook-id'], String(body)]).sort(),
    dialled.map(({ kind, id, payload }) => [`/${kind}`, id, payload]).sort(),
  )
  for (const request of receiver.requests) verify(secret, request)
  const attemptOf = Object.fromEntries(waiting.map(({ id, attempts }) => [id, String(attempts + 1)]))
  for (const { headers } of receiver.requests) {
    assert.equal(headers['patchbay-attempt'], attemptOf[String(headers['webhook-id'])])
  }
  const { rows } = await client.query('select message_id as id, post from simulator_events')
  assert.deepEqual(
    rows.map(({ id, post }) => [id, post.body, post.isSignatureValid]).sort(),
    waiting
      .filter(({ kind }) => kind === 'simulator')
      .map(({ id, payload }) => [id, payload, true])
      .sort(),
  )
  assert.deepEqual(
    app.log.filter((line) => /"level":(50|60)/.test(line)),
    [],
  )
})
