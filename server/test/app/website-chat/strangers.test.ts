import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Channel } from '@patchbay/contract/app/channels.ts'
import { usualCaps } from '@patchbay/contract/chat/settings.ts'
import { sql } from 'kysely'
import { openSightings } from '../../../src/app/website-chat/entry/sightings.ts'
import { startAlerting } from '../../helpers/alerts.ts'
import { passTime } from '../../helpers/deliveries.ts'
import { silentLog } from '../../helpers/knowledge.ts'
import { signIn } from '../../helpers/sessions.ts'
import { makeChat } from '../../helpers/strangers.ts'
import { until } from '../../helpers/until.ts'

async function startWatching() {
  const world = await startAlerting()
  const { app, account } = world
  const owner = await signIn(app, account)
  const channelId = await makeChat(owner, { caps: { ...usualCaps, modelAnswersADay: 10, contactsADay: 3 } })
  const sightings = openSightings(app.db, silentLog)
  const isDue = async () => {
    const { rows } = await sql<{ isDue: boolean }>`select check_due_at <= now() as is_due from channels`.execute(app.db)
    return rows[0]?.isDue === true
  }
  /** Looks at the channel, as is done when it is due. */
  const find = async (): Promise<Channel> => {
    const { status, body } = await owner.call('POST', `/api/channels/${channelId}/check`, {})
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  assert.equal((await find()).state, 'working')
  return {
    ...{ ...world, owner, channelId, sightings, isDue, find, on: { accountId: account.accountId, channelId } },
    reason: async () => (await find()).attention?.reason ?? null,
  }
}

test('forged identities call for somebody, who is told, and ten minutes without any end it', async () => {
  await using world = await startWatching()
  const { app, sightings, on, isDue, reason, look, told } = world
  assert.equal(await isDue(), false)
  sightings.warn(on, 'forged')
  await until(isDue, 'nobody looks at it')
  assert.equal(await reason(), 'forged identities')
  await look()
  const [alert] = await told()
  assert.match(
    alert?.text ?? '',
    /^The channel Website chat needs somebody since .*: many say to be customers .*\. It goes on\./,
  )

  const age = (minutes: number) =>
    sql`update chat_pages set forged_at = now() - ${minutes} * interval '1 minute'`.execute(app.db)
  await age(9)
  assert.equal(await reason(), 'forged identities')
  await age(11)
  assert.equal(await reason(), null)
  await look()
  await passTime(app.db, '2 minutes')
  await look()
  const both = await told()
  assert.deepEqual(
    both.map(({ event }) => event),
    ['channel.attention', 'channel.recovered'],
  )
  assert.match(both[1]?.text ?? '', /^The channel Website chat needs nobody any more\./, 'it worked all the time')
})

test('four fifths of the day’s model answers are told, and all of them once more; a new day ends it', async () => {
  await using world = await startWatching()
  const { app, on, sightings, isDue, reason, look, told, owner } = world
  const had = (column: string, count: number) =>
    sql`
      insert into chat_days (account_id, channel_id, day, ${sql.ref(column)})
      values (${on.accountId}, ${on.channelId}, (now() at time zone 'UTC')::date, ${count})
      on conflict (account_id, channel_id, day) do update set ${sql.ref(column)} = ${count}
    `.execute(app.db)
  await had('model_answers', 7)
  assert.equal(await reason(), null)
  await had('model_answers', 8)
  assert.equal(await reason(), 'day nearly full')
  await look()
  assert.equal((await told()).length, 1, 'without ten minutes of patience')
  await had('model_answers', 10)
  assert.equal(await reason(), 'day full')
  await look()
  await had('contacts', 3)
  sightings.full(on)
  await until(isDue, 'nobody looks at it')
  assert.equal(await reason(), 'day full')
  await look()
  const alerts = await told()
  assert.deepEqual(
    alerts.map(({ details }) => details.reason),
    ['day nearly full', 'day full'],
  )
  // It goes on: nothing of it waits or is refused.
  const { body } = await owner.call('GET', `/api/channels/${on.channelId}`)
  assert.equal(body.state, 'attention')
  await sql`update chat_days set day = day - 1`.execute(app.db)
  assert.equal(await reason(), null)
})
