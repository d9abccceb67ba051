import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { effectOf } from '../../../src/journey/intake/channel-messages/stop-word.ts'
import { askForMissing, untilAsked } from '../../helpers/providers/catching-up.ts'
import { newClientId, reply } from '../../helpers/providers/conversations.ts'
import { connectSms, startSmsWorld } from '../../helpers/providers/sms-world.ts'
import { addTexter, untilTexted } from '../../helpers/providers/twilio.ts'
import { until } from '../../helpers/until.ts'

/** Somebody has written to a number of the shop, and a person of the shop answers. */
async function startTalk() {
  await using starting = new AsyncDisposableStack()
  const world = starting.use(await startSmsWorld())
  const { app, owner, shop, twilio } = world
  const account = twilio.addAccount()
  const { phone_number: number } = account.addNumber()
  const channel = await connectSms(owner, account, { sender: number })
  await app.db.updateTable('accounts').set({ botActive: false }).where('id', '=', shop.accountId).execute()
  const ana = addTexter(account, number)
  ana.text('Hello')
  const find = () => app.db.selectFrom('contacts').select(['id', 'optedOutAt', 'optedOutBy']).executeTakeFirst()
  await until(async () => (await find()) !== undefined, 'the message did not come')
  const contactId = (await find())?.id ?? ''
  const started = starting.move()
  return {
    ...{ world, app, owner, twilio, account, number, channel, ana, contactId },
    isOptedOut: async () => (await find())?.optedOutAt !== null,
    /** They say a word, and it is kept. */
    say: async (body: string, more: { extra?: Record<string, string> } = {}) => {
      const { sid } = ana.text(body, more)
      await untilAnswered(account.poster, sid)
      return sid
    },
    stop: async () => {
      const columns = ['stopScope', 'stopSource', 'stoppedAt', 'startedAt'] as const
      return app.db.selectFrom('contactChannels').select(columns).executeTakeFirstOrThrow()
    },
    events: async () => {
      const rows = await app.db.selectFrom('conversationEvents').select('kind').orderBy('at').execute()
      return rows.map(({ kind }) => kind).filter((kind) => /block|opted/.test(kind))
    },
    turns: () => app.db.selectFrom('turns').selectAll().execute(),
    sent: () => twilio.calls.filter(({ operation }) => operation === 'send').map(({ form }) => form.Body),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

type Poster = { posted: { form: Record<string, string>; status: number | string }[] }

const untilAnswered = ({ posted }: Poster, sid: string) =>
  until(() => posted.some(({ form, status }) => form.MessageSid === sid && status === 200), 'it was not taken')

const failed = ({ app }: Awaited<ReturnType<typeof startTalk>>) =>
  app.db.selectFrom('deliveries').select(['errorCategory', 'sentAt']).orderBy('id').execute()

test('CH37: from the commit of STOP on two replies that wait are refused and never asked for, whoever writes is told, and START ends it', async () => {
  await using talk = await startTalk()
  const { owner, channel, contactId, ana } = talk
  assert.equal((await owner.call('POST', `/api/channels/${channel.id}/pause`)).status, 200)
  for (const body of ['It waits', 'This, too']) await reply(talk, contactId, body)
  const sid = await talk.say('Stop')
  assert.equal((await owner.call('POST', `/api/channels/${channel.id}/resume`)).status, 200)
  await until(async () => (await failed(talk)).every(({ errorCategory }) => errorCategory === 'stopped'), 'not refused')
  assert.deepEqual(
    (await failed(talk)).map(({ sentAt }) => sentAt),
    [null, null],
  )
  const refused = await owner.call('POST', `/api/conversations/${contactId}/replies`, {
    body: 'Wait!',
    clientId: newClientId(),
  })
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'CONFLICT'])
  assert.match(refused.body.error.message, /^They have sent STOP/)
  assert.deepEqual([talk.sent(), await talk.turns(), await talk.events()], [[], [], ['blocked', 'opted out']])
  const { stopScope, stopSource } = await talk.stop()
  assert.deepEqual([stopScope, stopSource, await talk.isOptedOut()], ['all', 'contact', true])

  await talk.say('are you there?')
  assert.equal((await talk.stop()).stopScope, 'all', 'any other message starts nothing')
  await talk.say('START')
  const { stopScope: after, startedAt } = await talk.stop()
  assert.deepEqual([after, startedAt !== null, await talk.isOptedOut()], [null, true, false])
  assert.deepEqual(await talk.events(), ['blocked', 'opted out', 'unblocked', 'opted in'])
  await reply(talk, contactId, 'Welcome back')
  assert.deepEqual(
    (await untilTexted(ana, 1)).map(({ body }) => body),
    ['Welcome back'],
  )

  // Twilio tells of the old STOP again.
  const { url = '', form = {} } = talk.account.poster.posted.find((one) => one.form.MessageSid === sid) ?? {}
  await talk.account.poster.post({ url, form })
  assert.equal((await talk.stop()).stopScope, null, 'a copy changes nothing')
  assert.deepEqual(await talk.turns(), [])
})

test('CH37: who asks in other words not to be written to has opted out and is not stopped: a person may still answer', async () => {
  await using talk = await startTalk()
  await talk.say('please stop texting me')
  await until(talk.isOptedOut, 'they have not opted out')
  assert.equal((await talk.stop()).stopScope, null)
  await reply(talk, talk.contactId, 'We are sorry.')
  assert.deepEqual(
    (await untilTexted(talk.ana, 1)).map(({ body }) => body),
    ['We are sorry.'],
  )
  await talk.say('START')
  await until(async () => !(await talk.isOptedOut()), 'they have not opted in')
})

test('every word that Twilio takes for a stop or a start is one here, as Twilio has understood it, and YES is one of those who had stopped alone', async () => {
  await using talk = await startTalk()
  await talk.say('Yes')
  assert.deepEqual([await talk.events(), (await talk.stop()).startedAt], [[], null], 'an answer, and no word')
  for (const [stop, start] of [
    ['stopall', 'UNSTOP'],
    ['UNSUBSCRIBE', 'start'],
    [' cancel ', 'yes'],
    ['END', 'START'],
    ['quit', 'YES'],
    ['REVOKE', 'unstop'],
    ['optout', 'START'],
  ] as const) {
    await talk.say(stop)
    assert.deepEqual([(await talk.stop()).stopScope, await talk.isOptedOut()], ['all', true], stop)
    await talk.say(start)
    assert.deepEqual([(await talk.stop()).stopScope, await talk.isOptedOut()], [null, false], start)
  }
  await talk.say('Please, no more of these', { extra: { OptOutType: 'STOP' } })
  assert.equal((await talk.stop()).stopScope, 'all')
  for (const body of ['HELP', 'info']) await talk.say(body)
  const { rows } = await sql<{ body: string }>`select body from messages where body in ('HELP', 'info')`.execute(
    talk.app.db,
  )
  assert.deepEqual([rows.length, await talk.turns()], [2, []], 'they are kept, and Twilio answers them')
})

test('what was leased a moment before a STOP waits for its commit, and is refused', async () => {
  await using talk = await startTalk()
  const { app, contactId } = talk
  await app.db.transaction().execute(async (tx) => {
    await sql`update contact_channels set stopped_at = now(), stop_scope = 'all', stop_source = 'contact'`.execute(tx)
    await reply(talk, contactId, 'Too late')
    const isWaiting = async () => {
      const { rows } = await sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and query like '%contact_channels%' and datname = current_database()
      `.execute(app.db)
      return rows.length > 0
    }
    await until(isWaiting, 'it does not wait for what is said at this moment')
  })
  await until(async () => (await failed(talk))[0]?.errorCategory === 'stopped', 'it was not refused')
  assert.deepEqual(talk.sent(), [])
})

test('a STOP that comes late stops nothing that was started since, and a START that comes late starts nothing that was stopped since', async () => {
  await using talk = await startTalk()
  const { app, ana } = talk
  const untold = (body: string, agoMs: number) => {
    ana.text(body, {}, false).createdAt = Date.now() - agoMs
  }
  await talk.say('STOP')
  await talk.say('START')
  await untilAsked(app)
  await app.db.updateTable('channelPolls').set({ cursor: '0' }).execute()
  untold('STOP', 60_000)
  await askForMissing(app)
  await until(async () => (await talk.say('hello')) !== '', 'kept')
  const bodies = async () =>
    (await app.db.selectFrom('messages').select('body').where('direction', '=', 'incoming').execute()).length
  assert.equal(await bodies(), 5)
  assert.deepEqual([(await talk.stop()).stopScope, await talk.isOptedOut()], [null, false])
  await talk.say('STOP')
  untold('START', 60_000)
  await askForMissing(app)
  assert.equal(await bodies(), 7)
  assert.deepEqual([(await talk.stop()).stopScope, await talk.isOptedOut()], ['all', true])
})

test('of the words of one person the later one counts, in whatever order they come', () => {
  const [early, late] = [new Date(1_000), new Date(2_000)]
  const none = { stoppedAt: null, scope: null, startedAt: null }
  assert.equal(effectOf('stop', none, 1_500), 'stop')
  assert.equal(effectOf('stop', { ...none, startedAt: late }, 1_500), 'too late')
  assert.equal(effectOf('stop', { ...none, startedAt: early }, 1_500), 'stop')
  for (const word of ['start', 'start if stopped'] as const) {
    assert.equal(effectOf(word, { ...none, stoppedAt: early, scope: 'all' }, 1_500), 'start')
    assert.equal(effectOf(word, { ...none, stoppedAt: late, scope: 'all' }, 1_500), 'too late')
  }
  assert.equal(effectOf('start', none, 1_500), 'start')
  assert.equal(effectOf('start if stopped', none, 1_500), 'no word')
  assert.equal(effectOf('start if stopped', { ...none, stoppedAt: early, scope: 'team' }, 1_500), 'no word')
})
