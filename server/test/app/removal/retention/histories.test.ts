import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { Client } from 'pg'
import { eraseContact } from '../../../../src/app/removal/erasure/erase-contact.ts'
import { removeOver } from '../../../../src/app/removal/retention/remove-over.ts'
import { indexNewMessages } from '../../../../src/app/search/index-messages.ts'
import { findBreaches } from '../../../../src/business/credits/check-store.ts'
import { readKeepDays } from '../../../../src/platform/config/keep-days.ts'
import type { AccountId, ContactId } from '../../../../src/platform/ids.ts'
import { breachesOf } from '../../../helpers/global-rules.ts'
import { secretKey, sharedApp, type TestAccount, type TestApp } from '../../../helpers/harness.ts'
import { incoming, incomingPath, outgoing, sendPath } from '../../../helpers/message-requests.ts'
import { makeOlder, olderId, removeOld } from '../../../helpers/retention.ts'

/** What the test knows of a message: `days` is its age. */
type Known = { sid: string | undefined; id: string; from: string; days: number; isErased: boolean; isOwed: boolean }

const keptDays = 25
const [steps, people] = [10, 3] // days that pass at once, so nothing is close to the end of its time

const one = fc.nat({ max: 5 })
const acts = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ act: fc.constant('write' as const), who: one }) },
    { weight: 3, arbitrary: fc.record({ act: fc.constant('copy' as const), who: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('send' as const), who: one }) },
    { weight: 3, arbitrary: fc.record({ act: fc.constant('time passes' as const), who: one }) },
    { weight: 3, arbitrary: fc.record({ act: fc.constant('remove' as const), who: one }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('dies' as const), who: one }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('deliver' as const), who: one }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('erase' as const), who: one }) },
  ),
  { minLength: 25, maxLength: 45 },
)

type World = { app: TestApp; shop: TestAccount; known: Known[] }

const actions = {
  write: async ({ shop, known }: World, who: number) => {
    const sid = `sid ${known.length}`
    const from = `f${who % people}`
    const { body } = await shop.post(
      incomingPath,
      incoming({ messageSid: sid, fromId: from, body: `word${known.length}` }),
    )
    known.push({ sid, id: body.messageId, from, days: 0, isErased: false, isOwed: false })
  },
  copy: async ({ app, shop, known }: World, who: number) => {
    const incomings = known.filter(({ sid }) => sid !== undefined)
    const first = incomings[who % incomings.length]
    if (!first?.sid) return
    const { body } = await shop.post(
      incomingPath,
      incoming({ messageSid: first.sid, fromId: first.from, body: 'again' }),
    )
    if (!first.isErased) return assert.equal(body.messageId, first.id)
    // Of somebody who was erased, it is a new message, unless the first one had been removed or noted before.
    if (body.messageId === first.id) return
    Object.assign(first, { id: body.messageId, days: 0, isErased: false })
    assert.equal(
      (await app.db.selectFrom('messages').select('id').where('id', '=', body.messageId).execute()).length,
      1,
    )
  },
  send: async ({ shop, known }: World, who: number) => {
    const from = `f${who % people}`
    const { body } = await shop.post(sendPath, outgoing({ fromId: from, body: `sent${known.length}` }))
    known.push({ sid: undefined, id: body.messageId, from, days: 0, isErased: false, isOwed: true })
  },
  'time passes': async ({ app, known }: World) => {
    const rows = await app.db.selectFrom('messages').select('id').execute()
    const stored = new Set<string>(rows.map(({ id }) => id))
    await makeOlder(app.db, steps)
    for (const each of known) {
      each.days += steps
      if (stored.has(each.id)) each.id = olderId(each.id, steps)
    }
  },
  remove: ({ app }: World) => removeOld(app.db),
  dies: async ({ app }: World, who: number) => {
    let batches = who
    const pause = async () => {
      if (batches-- <= 0) throw new Error('the process died')
    }
    const keepDays = readKeepDays(() => undefined)
    const ctx = { db: app.db, keepDays, hint: () => {}, pause, notedSeconds: 0 }
    await removeOver(ctx).catch((error) => assert.match(String(error), /died/))
  },
  deliver: async ({ app, known }: World) => {
    await sql`update deliveries set due_at = null, sent_at = now()`.execute(app.db)
    for (const each of known) each.isOwed = false
  },
  erase: async ({ app, shop, known }: World, who: number) => {
    const from = `f${who % people}`
    const contact = await app.db.selectFrom('contacts').select('id').where('externalId', '=', from).executeTakeFirst()
    if (!contact) return
    const ref = { accountId: shop.accountId, contactId: contact.id as ContactId }
    await Promise.all([eraseContact({ db: app.db, secretKey }, ref), removeOld(app.db)])
    for (const each of known) if (each.from === from) each.isErased = true
  },
}

/** Which of the known messages must be stored. */
const isKept = ({ days, isErased, isOwed }: Known) => !isErased && (isOwed || days <= keptDays)

async function check({ app, shop, known }: World, neighbour: AccountId): Promise<void> {
  await removeOld(app.db)
  await removeOld(app.db)
  const rows = await app.db.selectFrom('messages').selectAll().where('accountId', '=', shop.accountId).execute()
  const wanted = known.filter(isKept)
  assert.deepEqual(rows.map(({ id }) => id as string).sort(), wanted.map(({ id }) => id).sort())
  // The order of a conversation is that in which its messages came, and no number is given twice.
  for (const ofOne of Map.groupBy(rows, ({ contactId }) => contactId).values()) {
    const inOrder = ofOne.toSorted((a, b) => Number(a.seq) - Number(b.seq)).map(({ id }) => id)
    assert.deepEqual(inOrder, inOrder.toSorted())
  }
  await indexNewMessages(app.db)
  const { rows: blocks } = await sql<{ ids: string[] }>`
    select to_json(message_ids) as ids from message_search where account_id = ${shop.accountId}
  `.execute(app.db)
  const words = blocks.flatMap(({ ids }) => ids)
  assert.deepEqual(
    words.filter((id) => !wanted.some((each) => each.id === id)),
    [],
    'the search knows removed words',
  )
  const { rows: owed } = await sql`
    select from deliveries d where not exists (select from messages m where m.account_id = d.account_id and m.id = d.id)
  `.execute(app.db)
  assert.equal(owed.length, 0, 'a delivery without its message')
  assert.deepEqual(await app.db.transaction().execute(findBreaches), [])
  const left = await app.db.selectFrom('messages').select('id').where('accountId', '=', neighbour).execute()
  assert.equal(left.length, 1, 'another account')
  await checkRules({ app, shop, known: wanted })
}

async function checkRules({ app, shop, known }: Pick<World, 'app' | 'shop' | 'known'>): Promise<void> {
  const client = new Client(app.database.address)
  await client.connect()
  const asked = known.flatMap(({ sid, id }) =>
    sid === undefined ? [] : [{ messageSid: sid, status: 200, messageId: id }],
  )
  assert.deepEqual(
    await breachesOf((text, values) => client.query(text, values), { accountId: shop.accountId, asked }),
    [],
  )
  await client.end()
}

test('whatever happens in whatever order, nothing is lost before its time, nothing kept after it, and no copy stored', async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (history) => {
      await using app = await sharedApp()
      const [shop, neighbour] = [await app.makeAccount(), await app.makeAccount()]
      await app.db.updateTable('accounts').set({ botActive: false }).execute()
      const world: World = { app, shop, known: [] }
      // Only this account keeps them for a limited time.
      await sql`insert into retention_rules values (${shop.accountId}, 'messages', ${keptDays})`.execute(app.db)
      await sql`insert into retention_marks values (${shop.accountId}, '-infinity')`.execute(app.db)
      // After the mark: the first message asks which accounts have had messages removed, and the answer counts for 10 s.
      await neighbour.post(incomingPath, incoming({ messageSid: 'sid 0' }))
      for (const { act, who } of history) await actions[act](world, who)
      await check(world, neighbour.accountId)
    }),
    { numRuns: 4 },
  )
})
