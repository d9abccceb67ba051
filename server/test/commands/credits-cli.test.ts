import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { assertRefusedCommand, commandsWith, type Document, readDocument as read } from '../helpers/commands.ts'
import { charge } from '../helpers/credits.ts'
import { urlOf } from '../helpers/databases.ts'
import { startApp } from '../helpers/harness.ts'
import { makeDataFolder } from '../helpers/server-process.ts'

const started = new AsyncDisposableStack()
after(() => started.disposeAsync())
const app = started.use(await startApp({ RATE_LIMIT_PER_MINUTE: '0' }))
const folder = started.use(await makeDataFolder({ bare: true }))
const commands = commandsWith({
  DATA_DIR: folder.path,
  DATABASE_URL: urlOf(app.database.address),
  SECRET_KEY: 'the same on every machine',
})
const run = (...words: string[]) => commands.run(...words)
const json = async (...words: string[]): Promise<Document> => read(await run(...words, '--json'))

let made = 0

async function makePair(...words: string[]): Promise<{ agency: string; sub: string; created: Document }> {
  made += 1
  const [agency, sub] = [`agency${made}@example.com`, `sub${made}@example.com`]
  await json('account', 'create', '--email', agency, '--agency', '--password', 'long enough')
  const opened = ['--agency', agency, '--email', sub, '--password', 'long enough']
  return { agency, sub, created: await json('subaccount', 'create', ...opened, ...words) }
}

test('a sub-account is created with credits, shown with its balance, granted more, and its history is shown', async () => {
  const { agency, sub, created } = await makePair('--credits', '12.5')
  assert.deepEqual(Object.keys(created), ['accountId', 'userId', 'email', 'apiKey', 'balance'])
  assert.deepEqual([created.email, created.balance], [sub, 12.5])
  const granted = await json('credits', 'grant', '--agency', agency, '--email', sub.toUpperCase(), '--amount', '0.1')
  assert.deepEqual(
    { ...granted, entryId: '' },
    { accountId: created.accountId, entryId: '', creditsAdded: 0.1, balance: 12.6 },
  )
  const more = ['--agency', agency, '--email', sub, '--amount', '7', '--description', 'Thank <b>you</b> 🌱']
  assert.equal((await json('credits', 'grant', ...more)).balance, 19.6)
  await charge(app.db, created.accountId, 1)

  const { subaccounts } = await json('subaccount', 'show', '--agency', agency)
  assert.deepEqual(
    subaccounts.map(({ accountId, email, balance, held, recharge }: Document) => ({
      accountId,
      email,
      balance,
      held,
      recharge,
    })),
    [{ accountId: created.accountId, email: sub, balance: 18.6, held: 0, recharge: null }],
  )
  const history = await json('ledger', '--account', sub)
  assert.deepEqual([history.balance, history.held, history.next], [18.6, 0, null])
  assert.deepEqual(
    history.entries.map(({ kind, amount, balanceAfter, description, actor }: Document) => [
      ...[kind, amount, balanceAfter, description, actor],
    ]),
    [
      ['usage', -1, 18.6, 'Answer of the bot', 'bot'],
      ['grant', 7, 19.6, 'Thank <b>you</b> 🌱', 'operator'],
      ['grant', 0.1, 12.6, null, 'operator'],
      ['grant', 12.5, 12.5, 'First credits', 'operator'],
    ],
  )
  const page = await json('ledger', '--account', created.accountId, '--limit', '2', '--before', '3')
  assert.deepEqual(
    page.entries.map(({ n }: Document) => n),
    [2, 1],
  )
  const { days } = await json('ledger', '--account', sub, '--days', '2')
  const [before, today] = days // a day may have ended since the first grant
  const sum = [before.granted + today.granted, before.used + today.used]
  assert.deepEqual([days.length, ...sum, today.balance], [2, 19.6, 1, 18.6])
  assert.deepEqual(await json('ledger', 'check'), { ok: true, breaches: [] })
})

test('a sub-account without credits has a balance of 0, and unknown accounts and bad amounts are refused', async () => {
  const { agency, sub, created } = await makePair()
  assert.equal(created.balance, 0)
  assert.equal((await json('ledger', '--account', sub)).balance, 0)
  assert.deepEqual((await json('subaccount', 'show', '--agency', agency)).subaccounts[0].balance, 0)
  const grant = (...words: string[]) => run('credits', 'grant', ...words)
  const to = ['--email', sub]
  assertRefusedCommand(await grant('--agency', sub, ...to, '--amount', '1'), /Only an agency/)
  assertRefusedCommand(await grant('--agency', agency, '--email', agency, '--amount', '1'), /no sub-account/)
  assertRefusedCommand(await grant('--agency', agency, '--email', 'x', '--amount', '1'), /e-mail address/)
  for (const amount of ['0', '0.00001', '1.00000000000000000000001', '1000000001', 'ten', '-1', '1e3', '']) {
    assertRefusedCommand(await grant('--agency', agency, ...to, `--amount=${amount}`), /amount/)
  }
  const long = 'x'.repeat(1_001)
  assertRefusedCommand(await grant('--agency', agency, ...to, '--amount', '1', '--description', long), /1000 char/)
  const open = ['subaccount', 'create', '--agency', agency, '--email', 'new@example.com', '--credits']
  assertRefusedCommand(await run(...open, '0.00001'), /amount/)
  assertRefusedCommand(await run(...open, `0.${'0'.repeat(400)}1`), /amount/)
  assertRefusedCommand(await run('ledger', '--account', 'new@example.com'), /no account/)
  assertRefusedCommand(await run('ledger', '--account', sub, '--limit', '0'), /--limit/)
  assertRefusedCommand(await run('ledger', '--account', sub, '--days', '400'), /--days/)
})

test('a recharge is set, shown and switched off', async () => {
  const { agency, sub, created } = await makePair('--credits', '5')
  const set = (threshold: string, amount: string) =>
    run('recharge', 'set', '--account', sub, '--threshold', threshold, '--amount', amount, '--json')
  const recharge = { threshold: 2.5, amount: 100, isArmed: true }
  assert.deepEqual(read(await set('2.5', '100')), { accountId: created.accountId, balance: 5, held: 0, recharge })
  assert.deepEqual((await json('subaccount', 'show', '--agency', agency)).subaccounts[0].recharge, recharge)
  assert.equal(read(await set('0', '1')).recharge, null)
  assertRefusedCommand(await set('1', '0'), /amount must be above 0/)
  assertRefusedCommand(await set('x', '1'), /--threshold must be a number/)
  const wrong = ['--account', agency, '--threshold', '1', '--amount', '1']
  assertRefusedCommand(await run('recharge', 'set', ...wrong), /Only a sub-account/)
})

test('a movement is reversed, once', async () => {
  const { sub } = await makePair('--credits', '5')
  const [{ id }] = (await json('ledger', '--account', sub)).entries
  const words = ['credits', 'reverse', '--account', sub, '--entry', id, '--description', 'for another']
  const { amount, balance } = await json(...words)
  assert.deepEqual([amount, balance], [5, 0])
  assertRefusedCommand(await run(...words), /reversed before/)
  const [last] = (await json('ledger', '--account', sub)).entries
  assert.deepEqual([last.kind, last.amount, last.reverses], ['reversal', -5, id])
})

test('ledger check finds a balance that was changed by hand, and exits with 1', async () => {
  const { sub, created } = await makePair('--credits', '5')
  await sql`update balances set balance = balance + 1 where account_id = ${created.accountId}`.execute(app.db)
  const checked = await run('ledger', 'check', '--json')
  assert.equal(checked.code, 1)
  const { ok, breaches } = JSON.parse(checked.stdout)
  assert.equal(ok, false)
  const detail = 'the balance is 50001 units, the history adds up to 50000'
  assert.deepEqual(breaches[0], {
    invariant: 'a balance is the sum of its history',
    accountId: created.accountId,
    detail,
  })
  const told = await run('ledger', 'check')
  assert.equal(told.code, 1)
  assert.match(told.stdout, /50001/)
  await sql`update balances set balance = balance - 1 where account_id = ${created.accountId}`.execute(app.db)
  assert.deepEqual(await run('ledger', 'check'), { code: 0, stdout: 'ok        true\nbreaches  none\n', stderr: '' })
  assert.match((await run('ledger', '--account', sub)).stdout, /First credits/, 'without --json a person can read it')
})
