import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { sql } from 'kysely'
import { readQueues } from '../../../src/app/operations/queue-store.ts'
import { saveUrl, sendOne } from '../../helpers/deliveries.ts'
import { startApp, type TestApp } from '../../helpers/harness.ts'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'
import { serveMetricsOf } from '../../helpers/metrics.ts'
import { readsOf, stopAutovacuum } from '../../helpers/plans.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { until } from '../../helpers/until.ts'

/** What is no HTTP request at all. */
async function sendGarbage({ url, certificate }: TestApp): Promise<void> {
  const socket = connect({ port: Number(new URL(url).port), host: 'localhost', ca: certificate })
  socket.end('not a request\r\n\r\n')
  await text(socket)
}

const route = 'route="/v1/incoming_custom_channel_message"'

test('a scrape shows requests, messages, commits, attempts and answers as they happened', async () => {
  await using app = await startApp({ ROLE: 'all' }) // of its own: it counts
  await using receiver = await startReceiver((request, response) => {
    response.writeHead(request.body.includes('refuse') ? 410 : 200).end()
  })
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  await using metrics = await serveMetricsOf(app)
  await sendGarbage(app)
  for (const messageSid of ['1', '2', '2', '']) await shop.post(incomingPath, incoming({ messageSid }))
  await sendOne(shop, { fromId: 'ben', body: 'arrives' })
  await sendOne(shop, { fromId: 'eva', body: 'refuse it' })
  await until(async () => {
    const { value } = await metrics.scrape()
    return value('patchbay_delivery_attempts_total{outcome="http_4xx"}') === 1
  }, 'the refused attempt is counted')

  const { value, types } = await metrics.scrape()

  const expected = {
    [`patchbay_http_requests_total{${route},method="POST",status="200"}`]: 3,
    [`patchbay_http_requests_total{${route},method="POST",status="400"}`]: 1,
    [`patchbay_http_request_duration_seconds_count{${route},method="POST"}`]: 4,
    [`patchbay_http_request_duration_seconds_bucket{${route},method="POST",le="+Inf"}`]: 4,
    'patchbay_http_requests_total{route="unknown",method="unknown",status="400"}': 1,
    'patchbay_incoming_messages_total{outcome="kept"}': 2,
    'patchbay_incoming_messages_total{outcome="copy"}': 1,
    'patchbay_incoming_messages_total{outcome="refused"}': 1,
    'patchbay_incoming_messages_total{outcome="failed"}': 0,
    'patchbay_group_commit_rows_sum{commit="incoming"}': 3,
    'patchbay_group_commit_waiting_rows{commit="incoming"}': 0,
    'patchbay_group_commit_rows_sum{commit="outgoing"}': 2,
    'patchbay_delivery_attempts_total{outcome="sent"}': 1,
    patchbay_delivery_attempt_duration_seconds_count: 2,
    patchbay_requests_waiting_for_database: 0,
    patchbay_up_database: 1,
  }
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((sample) => [sample, value(sample)])), expected)
  assert.equal(types.get('patchbay_http_request_duration_seconds'), 'histogram')
})

test('queues, receivers and pools are shown, and no label names an account, a key or an address', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  const other = await app.makeAccount()
  for (const account of [shop, other]) await saveUrl(app, account, 'http://127.0.0.1:9/')
  await sendOne(shop)
  await sendOne(other)
  await shop.post(incomingPath, incoming())
  await sql`update deliveries set due_at = now() - interval '100 s'`.execute(app.db)
  await sql`update turns set due_at = now() - interval '50 s'`.execute(app.db)
  await sql`update receivers set failures_in_row = 10 where account_id = ${other.accountId}`.execute(app.db)
  await sql`insert into imports (account_id, id, state, file_name, encoding, created_at, leased_until, served_at)
    select ${shop.accountId}, 'imp_' || n, state, 'contacts.csv', 'utf-8', now() - interval '1 day', leased_until, served_at
    from (values (1, 'running', now() - interval '1 s', now() - interval '70 s'),
      (2, 'checking', now() + interval '10 s', now() - interval '90 s'), (3, 'ready', '-infinity', now()))
      as i (n, state, leased_until, served_at)`.execute(app.db)
  await sql`insert into broadcasts
    (account_id, id, name, list_id, list_name, channel, body, rate_per_minute, state, paced_at, waiting_since, waiting_reason,
      recipients, open, sent, opted_out)
    select ${shop.accountId}, 'brc_' || n, 'news', 'lst_1', 'all', 'web', 'hello', 6, state, now() - late, waiting_since,
      case when waiting_since is not null then 'endpoint_failing' end, 100, 1, 20, 9
    from (values (1, 'running', interval '90 s', null), (2, 'running', interval '1 day', now()), (3, 'paused', interval '1 day', null))
      as b (n, state, late, waiting_since)`.execute(app.db)
  await sql`insert into channels (account_id, id, kind, provider_key, name, address, settings, state, attention_reason,
      attention_since, paused_at, removed_at, created_at)
    select ${shop.accountId}, 'chn_' || n, 'telegram', n::text, 'Shop', '@shop', '{}', state,
      case when n = 2 then 'credentials' end, case when n = 2 then now() end, case when n in (2, 3) then now() end,
      case when n = 4 then now() end, now()
    from (values (1, 'connecting'), (2, 'attention'), (3, 'working'), (4, 'removed')) as c (n, state)`.execute(app.db)
  await sql`insert into installation (secret_key_check, created_at, backed_up_at, ledger_checked_at, ledger_breaches)
    values ('none', to_timestamp(1600000000), to_timestamp(1700000000), to_timestamp(1800000000), 2)`.execute(app.db)
  await using metrics = await serveMetricsOf(app)

  const { value, text } = await metrics.scrape()

  const jobs = { turns: 1, turns_without_credits: 0, deliveries: 1, deliveries_to_failing: 1, fetches: 0 }
  for (const [queue, expected] of Object.entries({ ...jobs, imports: 2, broadcasts: 140 }))
    assert.equal(value(`patchbay_queue_jobs{queue="${queue}"}`), expected, queue)
  for (const [queue, seconds] of Object.entries({
    turns: 50,
    deliveries: 100,
    fetches: 0,
    imports: 70,
    broadcasts: 80,
  })) {
    const late = value(`patchbay_queue_overdue_seconds{queue="${queue}"}`) ?? -1
    assert.ok(late >= seconds && late < seconds + 60, `${queue} are ${late} s late`)
  }
  const states = ['healthy', 'failing', 'open', 'paused'].map((state) => value(`patchbay_receivers{state="${state}"}`))
  assert.deepEqual(states, [1, 0, 1, 0])
  const channels = (state: string) => value(`patchbay_channels{kind="telegram",state="${state}"}`)
  assert.deepEqual(['connecting', 'working', 'attention', 'paused'].map(channels), [1, undefined, 1, 1])
  assert.equal(value('patchbay_last_ledger_check_timestamp_seconds'), 1_800_000_000)
  assert.equal(value('patchbay_ledger_breaches'), 2)
  assert.equal(value('patchbay_first_start_timestamp_seconds'), 1_600_000_000)
  assert.equal(value('patchbay_last_backup_timestamp_seconds'), 1_700_000_000)
  await using ofShared = await serveMetricsOf(app, app.database.address, {
    DATABASE_URL: 'postgres://x/y',
    SECRET_KEY: 'a key of our own',
  })
  assert.equal(
    (await ofShared.scrape()).value('patchbay_first_start_timestamp_seconds'),
    undefined,
    'not ours to back up',
  )
  assert.ok((value('patchbay_database_size_bytes') ?? 0) > 1_000_000)
  assert.equal(value('patchbay_database_connections_max{pool="batch"}'), 16)
  for (const secret of [shop.accountId, shop.apiKey, shop.email, 'apiKey', '127.0.0.1'])
    assert.ok(!text.includes(secret))
})

test('without a database a scrape succeeds, says so, and leaves out what only the database knows', async () => {
  await using app = await startApp()
  await using metrics = await serveMetricsOf(app, { host: '127.0.0.1', port: 9 } as never)
  const { value, samples, types } = await metrics.scrape()
  assert.equal(value('patchbay_up_database'), 0)
  assert.deepEqual(
    samples.filter((sample) => /^patchbay_(queue|receivers|database_size)/.test(sample)),
    [],
  )
  assert.equal(types.get('patchbay_queue_jobs'), 'gauge')
})

test('scrapes at the same time, and soon after, share one look at the database', async () => {
  await using app = await startApp()
  await using metrics = await serveMetricsOf(app)
  const first = await Promise.all([metrics.scrape(), metrics.scrape()])
  await app.makeAccount().then(sendOne)
  const later = await metrics.scrape()
  const jobs = [...first, later].map(({ value }) => value('patchbay_queue_jobs{queue="deliveries"}'))
  assert.deepEqual(jobs, [0, 0, 0])
})

test('only /metrics is served, to GET and HEAD', async () => {
  await using app = await startApp()
  await using metrics = await serveMetricsOf(app)
  const statusOf = async (method: string, path: string) => (await fetch(new URL(path, metrics.url), { method })).status
  assert.deepEqual(
    await Promise.all([
      ...[statusOf('GET', '/'), statusOf('GET', '/healthz'), statusOf('GET', '/v1/openapi.json')],
      ...[statusOf('POST', '/metrics'), statusOf('HEAD', '/metrics'), statusOf('GET', '/metrics?x=1')],
    ]),
    [404, 404, 404, 405, 200, 200],
  )
})

test('looking at the queues reads no table from end to end, and only jobs that wait', async () => {
  await using app = await startApp()
  await stopAutovacuum(app)
  const { accountId } = await app.makeAccount()
  await sql`insert into deliveries (account_id, id, contact_id, outgoing_seq, payload, receiver_id, author, due_at, sent_at)
    select ${accountId}, 'msg_' || n, 'con_1', n, '', 'reply', 'api', case when n % 100 = 0 then now() end, now()
    from generate_series(1, 20000) as n`.execute(app.db)
  await sql`insert into messages (account_id, id, contact_id, seq, direction, author, kind, body)
    select account_id, id, contact_id, outgoing_seq, 'outgoing', 'api', 'text', '' from deliveries`.execute(app.db)
  await sql`insert into attachments (account_id, message_id, content_type, state)
    select ${accountId}, 'msg_' || n, 'image/png', 'unreachable' from generate_series(1, 20000) as n`.execute(app.db)
  const reads = await readsOf(app, readQueues)
  const large = reads.filter(({ table }) => table === 'deliveries' || table === 'attachments')
  assert.deepEqual(
    large.filter(({ isWhole, rows }) => isWhole || rows > 200),
    [],
  )
  assert.ok(large.length > 0)
})
