// Runs alone: takes long, it backs up and restores a database under load

import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { runJson, sendMessage } from '../../helpers/backups.ts'
import { type Copy, type Original, readUnsent, startCopy, startOriginal } from '../../helpers/providers/copy-world.ts'
import { type Installation, say } from '../../helpers/providers/installation.ts'
import { type Person, untilShown } from '../../helpers/providers/telegram.ts'
import { until } from '../../helpers/until.ts'

const everybody = ({ waiting, busy }: Original) => [...waiting.people, ...busy.people]
const textsOf = ({ shown }: Person) => shown.map(({ text }) => text)

/** What each person is to have got, in order. */
async function readSaid({ db }: Installation): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom('messages as m')
    .innerJoin('contactAddresses as a', (join) =>
      join.onRef('a.accountId', '=', 'm.accountId').onRef('a.contactId', '=', 'm.contactId'),
    )
    .select(['a.address', 'm.body'])
    .where('m.direction', '=', 'outgoing')
    .orderBy('m.seq')
    .execute()
  const said = Map.groupBy(rows, ({ address }) => address)
  return new Map([...said].map(([address, all]) => [address, all.map(({ body }) => body ?? '')]))
}

async function assertEachOnce(original: Original): Promise<number> {
  const said = await readSaid(original.installation)
  for (const person of everybody(original)) {
    assert.deepEqual(textsOf(person), said.get(String(person.chatId)), 'each message arrived once, in order')
  }
  return everybody(original).reduce((sum, { shown }) => sum + shown.length, 0)
}

/** Everything that a server does by itself for channels has had its turn in the copy. */
async function untilWorked({ platform }: Original, { server, db }: Copy): Promise<void> {
  await sql`update channels set check_due_at = now()`.execute(db)
  await sendMessage(server, 'asked in the copy')
  const answers = () => platform.requests.some(({ body }) => body.includes('contact of asked in the copy'))
  await until(answers, 'the copy does not answer on the platform of the shop')
  const { rows } = await sql<{ at: Date }>`select now() as at`.execute(db)
  const isLookedAt = async () =>
    (await db.selectFrom('channels').select('checkDueAt').execute()).every(
      ({ checkDueAt }) => checkDueAt !== null && rows[0] !== undefined && checkDueAt > rows[0].at,
    )
  await until(isLookedAt, 'nobody wanted to look at the channels')
  const isTried = async () => (await db.selectFrom('turns').select('contactId').execute()).length === 0
  await until(isTried, 'what was owed was not answered')
}

/** Whom messages of channels wait for, in a copy: what was to leave, and to how many people. */
async function readWaiting({ waiting, busy }: Original, { db }: Copy) {
  const unsent = await readUnsent(db, waiting, busy)
  const owed = await db
    .selectFrom('turns as t')
    .innerJoin('contactAddresses as a', (join) =>
      join.onRef('a.accountId', '=', 't.accountId').onRef('a.contactId', '=', 't.contactId'),
    )
    .select('t.contactId')
    .execute()
  return { unsent, owed: owed.map(({ contactId }) => contactId) }
}

test('a backup that was taken while people wrote is tried out, and goes on', { timeout: 600_000 }, async (t) => {
  await using original = await startOriginal()
  await t.test(
    'a rehearsal beside the original: the copy sends, fetches and sets nothing, is removed, and nobody has noticed',
    (t) => rehearse(t, original),
  )
  await original.installation[Symbol.asyncDispose]()
  await t.test(
    'the copy goes on: nothing that waited when the backup was taken leaves again, each of it waits for a person, and new messages flow',
    async (t) => {
      for (const word of words) await goOn(t, original, word)
    },
  )
})

async function rehearse(t: TestContext, original: Original): Promise<void> {
  const { telegram, installation, waiting, busy } = original
  const shown = everybody(original).reduce((sum, person) => sum + person.shown.length, 0)
  await using copy = await startCopy(original, { name: 'rehearsal', isCalled: true })
  const { body } = await copy.call('GET', '/api/channels')
  assert.deepEqual(
    body.channels.map(({ isHeld, state }: { isHeld: boolean; state: string }) => [isHeld, state]),
    [
      [true, 'working'],
      [true, 'working'],
    ],
  )
  const waited = await readUnsent(copy.db, waiting, busy)
  await say(copy.call, waited[0]?.contactId ?? '', 'Tried out in the rehearsal')
  await untilWorked(original, copy)
  const isSent = async () => (await readUnsent(installation.db, waiting)).length === 0
  await until(isSent, 'what waited does not leave the original')
  const requests = copy.toTelegram.taken()
  await copy.stop()
  await rm(copy.dataDir, { recursive: true })
  const load = await original.stopLoad()
  await original.untilDone()

  assert.equal(requests, 0, 'the copy has called nobody')
  const arrived = await assertEachOnce(original)
  const texts = everybody(original).flatMap(textsOf)
  assert.ok(!texts.includes('Tried out in the rehearsal'))
  for (const { bot } of [waiting, busy]) assert.equal(bot.updates.polls.most, 1, 'one program has fetched')
  assert.ok(!telegram.calls.some(({ method }) => method === 'setWebhook'), 'no address was set')
  const channels = await installation.db.selectFrom('channels').select(['state', 'attentionReason']).execute()
  assert.deepEqual(channels, [
    { state: 'working', attentionReason: null },
    { state: 'working', attentionReason: null },
  ])
  t.diagnostic(
    `backup of ${original.backup.tookSeconds} s under load; ${waited.length} messages waited in it; the copy made ${requests} requests; ` +
      `the original delivered ${arrived} messages over Telegram (${shown} before the copy ran, ${load.overChannel} to people who wrote all the time), each once, beside ${load.custom} that came over the custom channel`,
  )
}

type Word = { by: string; isCalled: boolean; say: (copy: Copy) => Promise<unknown> }

const words: Word[] = [
  {
    by: 'its owner, in the app',
    isCalled: false,
    say: async ({ call }) => assert.equal((await call('POST', '/api/channels/resume')).status, 200),
  },
  {
    by: 'the operator',
    isCalled: true,
    say: async ({ dataDir }) => {
      assert.deepEqual(await runJson({ DATA_DIR: dataDir }, 'channel', 'resume', '--all'), { resumed: 2 })
    },
  },
]

async function goOn(t: TestContext, original: Original, word: Word): Promise<void> {
  const { waiting, busy } = original
  await using copy = await startCopy(original, { name: word.by, isCalled: word.isCalled })
  const before = await readWaiting(original, copy)
  const beforeTexts = everybody(original).map(textsOf)
  const spoken = waiting.people.at(-1)
  assert.ok(spoken)
  const { contactId } = await copy.db
    .selectFrom('contactAddresses')
    .select('contactId')
    .where('address', '=', String(spoken.chatId))
    .executeTakeFirstOrThrow()
  await say(copy.call, contactId, `Said in the copy of ${word.by}`)
  const early = busy.bot.addPerson()
  early.write('Hello, is anybody there?')
  await untilWorked(original, copy)
  assert.equal(copy.toTelegram.taken(), 0, 'nobody is called before the word')
  assert.equal(busy.bot.updates.waiting().length, 1, 'nothing was fetched')

  await word.say(copy)
  // The lease of whoever fetched is in the backup, too: a minute passes.
  await sql`update channel_polls set leased_until = now()`.execute(copy.db)
  const late = waiting.bot.addPerson()
  late.write('Hello')
  await Promise.all([untilShown(early, 1), untilShown(late, 1)])
  await untilShown(spoken, (beforeTexts[waiting.people.length - 1]?.length ?? 0) + 1)
  await until(async () => (await readUnsent(copy.db, waiting, busy)).every(({ dueAt }) => dueAt === null), 'it waits')

  const ended = await readUnsent(copy.db, waiting, busy)
  const ids = new Set(ended.map(({ id }) => id))
  assert.ok(
    before.unsent.every(({ id }) => ids.has(id)),
    'none that waited has left',
  )
  assert.ok(ended.every(({ errorCategory }) => errorCategory === 'in_doubt'))
  const asked = new Set([...before.unsent.map((one) => one.contactId), ...before.owed])
  const conversations = await copy.db
    .selectFrom('conversations')
    .select(['contactId', 'waitingReason'])
    .where('contactId', 'in', [...asked])
    .execute()
  assert.equal(conversations.length, asked.size)
  assert.ok(
    conversations.every(({ waitingReason }) => waitingReason === 'in_doubt'),
    'each of them waits for a person',
  )
  const more = everybody(original).map((person, n) => textsOf(person).slice(beforeTexts[n]?.length))
  assert.deepEqual(more.flat(), [`Said in the copy of ${word.by}`], 'to the others nothing has left')
  assert.deepEqual([early.shown.length, late.shown.length], [1, 1])
  t.diagnostic(
    `said by ${word.by}: ${before.unsent.length} messages had waited at the backup and ${before.owed.length} answers were owed; ` +
      `0 requests before the word; 0 of them left after it, ${conversations.length} conversations wait for a person; ` +
      `1 message said in the copy and 2 answers to new people left`,
  )
  await copy.stop()
}
