import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { countAllUsage } from '../../../src/answers/knowledge/usage/stage.ts'
import { pruneUsage } from '../../../src/answers/knowledge/usage/usage-store.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { signIn } from '../../helpers/sessions.ts'

async function startTaught() {
  const app = await sharedApp()
  const shop = await app.makeAccount()
  const browser = await signIn(app, shop)
  const { id } = (await browser.call('GET', '/api/campaigns')).body.campaigns[0]
  const path = `/api/campaigns/${id}/entries`
  const add = async (question: string): Promise<string> => {
    const body = { questions: [question], answer: 'Yes.', handsOver: false, isOn: true }
    return (await browser.call('POST', path, body)).body.id
  }
  const uses = async () => {
    const { entries } = (await browser.call('GET', path)).body
    return Object.fromEntries(entries.map((entry: { id: string; uses: number }) => [entry.id, entry.uses]))
  }
  const answer = (given: Given) => giveAnswers(app, { accountId: shop.accountId, campaignId: id, ...given })
  return { app, browser, path, add, uses, answer, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

type Given = { sources: string[]; times?: number; ago?: string; outcome?: string; isSaid?: boolean }

let seq = 0

async function giveAnswers({ db }: TestApp, given: Given & { accountId: string; campaignId: string }): Promise<void> {
  const { accountId, campaignId, times = 1, ago = '5 minutes', outcome = 'answered', isSaid = true } = given
  const sources = JSON.stringify(given.sources.map((entryId) => ({ entryId, score: 0.8 })))
  const from = seq
  seq += times
  await sql`
    insert into answers (account_id, contact_id, from_seq, to_seq, outcome, reason, campaign_id, message_id, sources, created_at)
    select ${accountId}, 'con_ana', ${from}::integer + n, ${from}::integer + n, ${outcome}, 'near', ${campaignId},
      case when ${isSaid} then 'msg_' || (${from}::integer + n) end, ${sources}::jsonb,
      now() - ${ago}::interval - n * interval '1 microsecond'
    from generate_series(1, ${times}::integer) as n
  `.execute(db)
}

async function passTwoMinutes({ db }: TestApp): Promise<void> {
  await sql`update answers set created_at = created_at - interval '2 minutes'`.execute(db)
  await sql`update entry_use_marks set counted_to = counted_to - interval '2 minutes'`.execute(db)
}

test('the list of entries says how often each was the answer in the last 30 days; offers, misses and what was not sent do not count', async () => {
  await using taught = await startTaught()
  const { app, add, uses, answer } = taught
  const [open, ship, never] = [await add('When are you open?'), await add('Do you ship?'), await add('Do you rent?')]
  await answer({ sources: [open], times: 3 })
  await answer({ sources: [open, ship], ago: '2 days', outcome: 'handed over' })
  for (const outcome of ['offered', 'fell back', 'silent']) await answer({ sources: [never, open], outcome })
  await answer({ sources: [ship], isSaid: false })
  await answer({ sources: [ship], ago: '33 days' })
  await answer({ sources: ['ent_of_nobody'] })
  await answer({ sources: [ship], ago: '5 seconds' })
  await countAllUsage(app.db)
  assert.deepEqual(await uses(), { [open]: 4, [ship]: 1, [never]: 0 })
  await answer({ sources: [ship], ago: '0 seconds' })
  await passTwoMinutes(app)
  await countAllUsage(app.db)
  assert.deepEqual(await uses(), { [open]: 4, [ship]: 3, [never]: 0 }, 'what came since is added')
})

test('no answer is counted twice or left out, however many there are and however many processes count at once', async () => {
  await using taught = await startTaught()
  const { app, add, uses, answer } = taught
  const open = await add('When are you open?')
  await answer({ sources: [open], times: 12_000, ago: '3 hours' })
  await Promise.all([1, 2, 3].map(() => countAllUsage(app.db)))
  await countAllUsage(app.db)
  assert.deepEqual(await uses(), { [open]: 12_000 })
})

test('counts of days that are not shown any more are deleted, and those of an entry with the entry', async () => {
  await using taught = await startTaught()
  const { app, browser, path, add, answer } = taught
  const [open, ship] = [await add('When are you open?'), await add('Do you ship?')]
  await answer({ sources: [open, ship] })
  await answer({ sources: [open], ago: '20 days' })
  await countAllUsage(app.db)
  await sql`update entry_uses set day = day - 15`.execute(app.db)
  assert.equal(await pruneUsage(app.db), 1)
  const { version } = (await browser.call('GET', path)).body.entries[1]
  assert.equal((await browser.call('DELETE', `${path}/${open}?version=${version}`)).status, 200)
  assert.equal((await app.db.selectFrom('entryUses').select('entryId').execute()).length, 1)
})
