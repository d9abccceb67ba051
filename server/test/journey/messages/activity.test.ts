import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type RawBuilder, sql } from 'kysely'
import {
  activeBefore,
  activeSince,
  earliestFirst,
  followsInTime,
  latestFirst,
} from '../../../src/journey/messages/activity-store.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'

/** A time in microseconds since the noon that all of them lie around. */
type Micros = number

const [minute, quarter] = [60_000_000, 900_000_000]

/** Anywhere within two hours, and often at the very beginning or end of a minute or a quarter of an hour. */
const time: fc.Arbitrary<Micros> = fc.oneof(
  fc.integer({ min: -4 * quarter, max: 4 * quarter }),
  fc
    .record({
      unit: fc.constantFrom(minute, quarter),
      n: fc.integer({ min: -4, max: 4 }),
      by: fc.constantFrom(-1, 0, 1),
    })
    .map(({ unit, n, by }) => n * unit + by),
)

const at = (micros: Micros) => sql`timestamptz '2026-01-05 12:00Z' + ${micros}::bigint * interval '1 microsecond'`
const nameOf = (n: number) => `con_${String(n).padStart(3, '0')}`

/** Conversations of one account. Those from before the upgrade have a minute, as they were written then. */
async function fill({ db }: TestApp, accountId: string, times: Micros[], upgradedAt: Micros): Promise<void> {
  const names = times.map((_, n) => nameOf(n))
  await sql`delete from contacts where account_id = ${accountId}`.execute(db)
  await sql`insert into contacts (account_id, id) select ${accountId}, unnest(${names}::text[])`.execute(db)
  await sql`
    insert into conversations (account_id, contact_id, last_seq, active_at, active_step)
    select ${accountId}, t.name, 1, t.at, case when t.at < ${at(upgradedAt)} then date_trunc('minute', t.at) else activity_step(t.at) end
    from (
      select name, timestamptz '2026-01-05 12:00Z' + micros * interval '1 microsecond' as at
      from unnest(${names}::text[], ${times}::bigint[]) as t (name, micros)
    ) as t
  `.execute(db)
}

test('conversations are in the order of their last messages to the microsecond, and those since a minute are found, whatever version wrote them', async () => {
  await using app = await sharedApp()
  const { accountId } = await app.makeAccount()
  const read = async (where: RawBuilder<unknown>, order: RawBuilder<unknown>) => {
    const { rows } = await sql<{ contactId: string }>`
      select c.contact_id from conversations c where c.account_id = ${accountId} and ${where} order by ${order}
    `.execute(app.db)
    return rows.map(({ contactId }) => contactId)
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(time, { minLength: 1, maxLength: 40 }),
      time,
      fc.integer({ min: -60, max: 60 }),
      fc.nat(),
      async (times, upgradedAt, cutMinute, nth) => {
        await fill(app, accountId, times, upgradedAt)
        const latest = times
          .map((micros, n) => ({ micros, name: nameOf(n) }))
          .sort((one, other) => other.micros - one.micros || (other.name > one.name ? 1 : -1))
        const names = (some: typeof latest) => some.map(({ name }) => name)
        const cut = cutMinute * minute
        assert.deepEqual(await read(sql`true`, latestFirst), names(latest))
        const earliest = sql`${earliestFirst}, c.contact_id`
        assert.deepEqual(await read(sql`true`, earliest), names(latest).reverse())
        const since = latest.filter(({ micros }) => micros >= cut)
        assert.deepEqual(await read(activeSince(at(cut)), latestFirst), names(since))
        const before = latest.filter(({ micros }) => micros < cut)
        assert.deepEqual(await read(activeBefore(at(cut)), latestFirst), names(before))
        const shown = nth % latest.length
        const last = latest[shown]
        assert.ok(last)
        assert.deepEqual(
          await read(followsInTime(at(last.micros), last.name), latestFirst),
          names(latest.slice(shown + 1)),
        )
      },
    ),
    {
      numRuns: Number(process.env.FUZZ_RUNS ?? 40),
      examples: [[[60_000_000 * 14 + 30_000_000, minute, quarter], 14 * minute + 40_000_000, 1, 0]],
    },
  )
})
