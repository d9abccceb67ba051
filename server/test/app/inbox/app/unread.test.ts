import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { write } from '../../../helpers/bots.ts'
import { sendOne } from '../../../helpers/deliveries.ts'
import { type Browser, type Inbox, startInbox } from '../../../helpers/inbox.ts'

type Row = { externalId: string; unread: number }

const people = ['ana', 'ben', 'eva']
const numRuns = Number(process.env.FUZZ_RUNS ?? 12)

type Step =
  | { kind: 'write' | 'send' | 'read'; person: string }
  | { kind: 'wait'; minutes: number }
  | { kind: 'upgrade' }

const person = fc.constantFrom(...people)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), person }),
  fc.record({ kind: fc.constant('send' as const), person }),
  fc.record({ kind: fc.constant('read' as const), person }),
  fc.record({ kind: fc.constant('wait' as const), minutes: fc.constantFrom(1, 3, 60, -2) }),
)

/** The newest message is older than the one before it, and older than the user. */
const clockSetBack: Step[] = [
  { kind: 'write', person: 'ben' },
  { kind: 'wait', minutes: -2 },
  { kind: 'write', person: 'ben' },
  { kind: 'wait', minutes: 60 },
  { kind: 'send', person: 'ben' },
]

/** Some are written anew after the upgrade, within a step, and some are not. */
const upgraded: Step[] = [
  { kind: 'write', person: 'ana' },
  { kind: 'write', person: 'ben' },
  { kind: 'wait', minutes: 1 },
  { kind: 'write', person: 'eva' },
  { kind: 'upgrade' },
  { kind: 'wait', minutes: 1 },
  { kind: 'write', person: 'ana' },
  { kind: 'wait', minutes: 3 },
  { kind: 'write', person: 'eva' },
  { kind: 'wait', minutes: 3 },
  { kind: 'wait', minutes: 60 },
]

test('what is unread is in the list of it and in the count, however long ago it came, whoever reads it when', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
      await using inbox = await startInbox()
      for (const one of steps) {
        if (one.kind === 'wait') {
          await pass(inbox, one.minutes)
          await Promise.all([look(inbox.owner), look(inbox.owner), look(inbox.member)])
        } else if (one.kind === 'upgrade') await upgrade(inbox)
        else await act(inbox, one)
      }
      for (const user of [inbox.owner, inbox.member]) await look(user)
    }),
    { numRuns, examples: [[clockSetBack], [upgraded]] },
  )
})

async function act({ account, owner, pathOf }: Inbox, { kind, person: fromId }: { kind: string; person: string }) {
  if (kind === 'write') await write(account, 'Hello', { fromId })
  else if (kind === 'send') await sendOne(account, { fromId, body: 'Good morning' })
  else if ((await rows(owner)).some(({ externalId }) => externalId === fromId)) {
    await owner.ok('PUT', `${await pathOf(fromId)}/read`, { seq: 1_000_000 })
  }
}

/** Nothing happens meanwhile, so the list, the count and the rows must agree, and pages must add up to the list. */
async function look(user: Browser): Promise<void> {
  const expected = (await rows(user)).filter(({ unread }) => unread > 0).map(({ externalId }) => externalId)
  assert.deepEqual(
    (await rows(user, '&filter=unread')).map(({ externalId }) => externalId),
    expected,
  )
  assert.equal((await user.ok('GET', '/api/counts')).unread, expected.length)
  const paged: string[] = []
  for (let before = ''; ; ) {
    const page = await user.ok('GET', `/api/conversations?filter=unread&limit=2${before}`)
    paged.push(...page.conversations.map(({ externalId }: Row) => externalId))
    if (page.next === null) break
    before = `&before=${page.next}`
  }
  assert.deepEqual(paged, expected)
}

async function rows(user: Browser, query = ''): Promise<Row[]> {
  return (await user.ok('GET', `/api/conversations?limit=50${query}`)).conversations
}

/** All that there is was written by a server of before migration 64. */
async function upgrade({ app: { db } }: Inbox): Promise<void> {
  await sql`update conversations set active_step = date_trunc('minute', active_at)`.execute(db)
}

/** Time passes: everything happened so much earlier. Less than nothing: the clock is set back. */
async function pass({ app: { db } }: Inbox, minutes: number): Promise<void> {
  const by = sql`${minutes} * interval '1 minute'`
  await sql`update messages set created_at = created_at - ${by}`.execute(db)
  await sql`
    update conversations set active_at = active_at - ${by}, active_step = case
      when active_step > active_at then activity_step(active_at - ${by}) else date_trunc('minute', active_at - ${by}) end
  `.execute(db)
  await sql`update unread_conversations set active_at = active_at - ${by}`.execute(db)
  await sql`update users set unread_since = unread_since - ${by}, unread_listed_until = unread_listed_until - ${by}`.execute(
    db,
  )
}
