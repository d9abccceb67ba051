import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AlertEvent } from '@patchbay/contract/alert-event.ts'
import { sql } from 'kysely'
import { Value } from 'typebox/value'
import { eraseContact } from '../../../src/app/removal/erasure/erase-contact.ts'
import { requireWebhook } from '../../../src/journey/delivery/transports/webhook/webhooks.ts'
import { alertBody } from '../../../src/outbox/alert-body.ts'
import { alertsOf, beginToWait, startAlerting } from '../../helpers/alerts.ts'
import { startDelivering, verify } from '../../helpers/deliveries.ts'
import { secretKey } from '../../helpers/harness.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { addMember, signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'
import { columnsWith } from '../../helpers/words.ts'

const local = {
  OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1',
  RATE_LIMIT_PER_MINUTE: '0',
  PUBLIC_URL: 'https://chat.example.com',
}

test('an alert is posted to the alert address alone, signed; it stands in the log and can be sent again under its id', async () => {
  let status = 503
  await using alerts = await startReceiver((_, response) => response.writeHead(status).end())
  await using replies = await startReceiver()
  await using app = await startDelivering(local)
  const account = await app.makeAccount()
  const owner = await signIn(app, account)
  await owner.call('PUT', '/api/webhook', { url: `${replies.url}/replies` })
  const saved = await owner.call('PUT', '/api/alerts/webhook', { url: `${alerts.url}/alerts` })
  assert.deepEqual([saved.status, saved.body.webhook.state], [200, 'working'])
  await beginToWait(app, account, 'ana', { firstName: 'Ana' })
  const log = (filter: string) => owner.call('GET', `/api/alerts/deliveries?filter=${filter}`)
  await until(async () => (await log('failed')).body.deliveries.length === 1, 'it is not in the log')
  const [failed] = (await log('all')).body.deliveries
  assert.match(failed.text, /^Somebody waits for a person\. https:\/\/chat\.example\.com\/inbox\//)
  assert.ok(Math.abs(Date.parse(failed.createdAt) - Date.now()) < 60_000)
  const detail = await owner.call('GET', `/api/alerts/deliveries/${failed.id}`)
  assert.equal(detail.body.attempts[0].fault.httpStatus, 503)
  assert.equal((await owner.call('GET', '/api/alerts/webhook')).body.webhook.state, 'failing')
  status = 200
  assert.equal((await owner.call('POST', `/api/alerts/deliveries/${failed.id}/resend`)).status, 200)
  await until(async () => (await log('sent')).body.deliveries.length === 1, 'it was not sent')
  const receiver = { accountId: account.accountId, receiverId: 'alert' as const }
  const [secret = ''] = (await requireWebhook({ db: app.db, secretKey }, receiver)).secrets
  for (const request of alerts.requests) {
    const event = verify(secret, request) as AlertEvent
    assert.ok(Value.Check(AlertEvent, event), 'as openapi.json describes it')
    assert.deepEqual(
      [event.event, event.id, request.headers['webhook-id']],
      ['conversation.waiting', failed.id, failed.id],
    )
  }
  assert.equal(
    replies.requests.filter(({ body }) => String(body).includes('conversation.waiting')).length,
    0,
    'the reply stream stays what it is',
  )
})

test('a test post says that it is one, and shows whether the receiver checks signatures', async () => {
  await using receiver = await startReceiver()
  await using app = await startDelivering(local)
  const owner = await signIn(app, await app.makeAccount())
  assert.equal((await owner.call('POST', '/api/alerts/webhook/test')).status, 404)
  await owner.call('PUT', '/api/alerts/webhook', { url: receiver.url })
  const tested = await owner.call('POST', '/api/alerts/webhook/test')
  assert.deepEqual([tested.body.status, tested.body.checksSignature], ['Sent', false])
  const event: AlertEvent = JSON.parse(String(receiver.requests[0]?.body))
  assert.deepEqual([event.event, event.text], ['test', event.content])
  assert.equal((await owner.call('DELETE', '/api/alerts/webhook')).status, 200)
  assert.equal((await owner.call('GET', '/api/alerts/webhook')).body.webhook, null)
  const { body } = await owner.call('GET', '/api/audit?group=keys')
  const acts = body.events.map(({ act, details }: Record<string, { kind?: string }>) => [act, details?.kind])
  assert.deepEqual(acts, [
    ['webhook removed', 'alert'],
    ['webhook changed', 'alert'],
  ])
})

test('what is sent is chosen by the owner, written down, and checked', async () => {
  await using world = await startAlerting()
  const { app, account } = world
  const owner = await signIn(app, account)
  const all = ['waiting', 'receiver', 'bot', 'credits', 'broadcast', 'channel']
  const usual = { conditions: all, namesContacts: false, creditsBelow: null }
  assert.deepEqual((await owner.call('GET', '/api/alerts/settings')).body, usual)
  const given = { conditions: ['bot'], namesContacts: true, creditsBelow: '2.5' }
  const changed = await owner.call('PUT', '/api/alerts/settings', given)
  assert.deepEqual(changed.body, { ...given, creditsBelow: 2.5 })
  for (const wrong of [
    { ...given, conditions: ['weather'] },
    { ...given, conditions: ['bot', 'bot'] },
    { ...given, creditsBelow: '-1' },
    { ...given, creditsBelow: 'ten' },
    { ...given, namesContacts: 'yes' },
  ]) {
    assert.equal((await owner.call('PUT', '/api/alerts/settings', wrong)).status, 400, JSON.stringify(wrong))
  }
  assert.deepEqual((await owner.call('GET', '/api/alerts/settings')).body, changed.body)
  const { body } = await owner.call('GET', '/api/audit?group=keys')
  assert.deepEqual(body.events[0].details, { conditions: 'bot', names: 'yes' })

  await beginToWait(app, account, 'ana')
  await owner.call('PUT', '/api/alerts/settings', { ...given, conditions: all })
  await world.look()
  assert.deepEqual(await world.told(), [], 'it began to wait while that was not wanted')
  await beginToWait(app, account, 'ben', { firstName: 'Ben' })
  await world.look()
  assert.match((await world.told())[0]?.text ?? '', /^Ben waits for a person/)
})

test('an erased contact is in no alert, and none that names them is left', async () => {
  await using world = await startAlerting()
  const { app, account, look } = world
  await sql`insert into alert_settings (account_id, names_contacts) values (${account.accountId}, true)`.execute(app.db)
  const contactId = await beginToWait(app, account, 'zeb', { firstName: 'Zebulonia' })
  await look()
  assert.ok((await columnsWith(app, ['Zebulonia'])).includes('deliveries.payload'))
  await eraseContact({ db: app.db, secretKey }, { accountId: account.accountId, contactId })
  assert.deepEqual(await columnsWith(app, ['Zebulonia', contactId]), ['audit_events.details'])
  assert.deepEqual(await alertsOf(app, account.accountId), [])
})

test('a browser is given what waits and what is wrong, of its own account', async () => {
  await using world = await startAlerting()
  const { app, account } = world
  const contactId = await beginToWait(app, account, 'ana', { firstName: 'Ana', lastName: 'Silva' })
  await sql`update receivers set failing_since = now() - interval '11 minutes'`.execute(app.db)
  await sql`update campaigns set trouble = 'The key was refused' where account_id = ${account.accountId}`.execute(
    app.db,
  )
  const { body } = await (await signIn(app, account)).call('GET', '/api/alerts/state')
  assert.deepEqual(
    body.waiting.map(({ contactId, name }: Record<string, string>) => [contactId, name]),
    [[contactId, 'Ana Silva']],
  )
  assert.deepEqual(body.troubles.map(({ condition }: { condition: string }) => condition).sort(), ['bot', 'receiver'])
  const mia = { ...account, userId: await addMember(app, account.accountId, 'mia@example.com') }
  const { troubles } = (await (await signIn(app, mia)).call('GET', '/api/alerts/state')).body
  assert.deepEqual(
    troubles.map(({ condition }: { condition: string }) => condition),
    ['bot'],
    'the alert address concerns its owners',
  )
  const other = await signIn(app, await app.makeAccount())
  assert.deepEqual((await other.call('GET', '/api/alerts/state')).body, { waiting: [], troubles: [] })
})

test('Google Chat, which refuses fields that it does not know, gets the text alone', () => {
  const alert = { event: 'test' as const, accountId: 'acc_1', text: 'x'.repeat(3_000), link: undefined, details: {} }
  const to = (url: string) => JSON.parse(alertBody(alert, { id: 'evt_1', url }))
  assert.deepEqual(Object.keys(to('https://chat.googleapis.com/v1/spaces/x/messages?key=1')), ['text'])
  const slack = to('https://hooks.slack.com/services/x')
  assert.ok(slack.content.length <= 2_000 && slack.text === slack.content)
})
