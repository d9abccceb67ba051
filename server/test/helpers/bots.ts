import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CampaignFile } from '@patchbay/contract/campaigns.ts'
import { sql } from 'kysely'
import { changeCampaign, createCampaign, type SavedCampaign } from '../../src/answers/campaigns/save.ts'
import { listCampaigns } from '../../src/answers/campaigns/store.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import type { Db } from '../../src/platform/database/db.ts'
import type { AccountId, ContactId } from '../../src/platform/ids.ts'
import { openOutbound } from '../../src/platform/outbound/client.ts'
import { secretKey, type TestAccount } from './harness.ts'
import { incoming, incomingPath } from './message-requests.ts'
import { type Received, startReceiver } from './receivers.ts'
import { patienceMs } from './until.ts'

type Owner = { accountId: AccountId }

/** Creates a campaign that is live unless the file says otherwise, as `campaign create` does. */
export async function makeCampaign(
  { db }: { db: Db },
  { accountId }: Owner,
  file: CampaignFile,
): Promise<SavedCampaign> {
  const outbound = openOutbound({ allowed: readConfig({}).outboundAllowed })
  return createCampaign({ db, secretKey, outbound }, accountId, { name: 'A campaign', status: 'live', ...file })
}

export async function editCampaign({ db }: { db: Db }, id: string, file: CampaignFile): Promise<SavedCampaign> {
  const outbound = openOutbound({ allowed: readConfig({}).outboundAllowed })
  return changeCampaign({ db, secretKey, outbound }, id, file)
}

/** The campaign that every account has from the start. */
export async function defaultCampaign({ db }: { db: Db }, { accountId }: Owner): Promise<string> {
  const found = (await listCampaigns(db, accountId)).find(({ isDefault }) => isDefault)
  assert.ok(found)
  return found.id
}

let sids = 0

/** A contact writes; returns the id of the message. */
export async function write(
  account: Pick<TestAccount, 'post'>,
  body: string,
  over: Record<string, unknown> = {},
): Promise<string> {
  sids += 1
  const answer = await account.post(incomingPath, incoming({ messageSid: `sid ${sids}`, body, ...over }))
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.messageId
}

/**
 * Turns of new conversations are not due before `makeTurnsDue`: otherwise they would be due after two seconds, in the
 * middle of what a test does first.
 */
export async function holdTurnsBack({ db }: { db: Db }): Promise<void> {
  const long = 3_600_000
  await sql`alter table conversations
    alter quiet_ms set default ${sql.lit(long)}, alter max_wait_ms set default ${sql.lit(long)}`.execute(db)
}

/** Ends the wait for further messages: every pending turn is due now. */
export async function makeTurnsDue(db: Db): Promise<void> {
  await db.updateTable('turns').set({ dueAt: sql`now()` }).where('leaseToken', 'is', null).execute()
}

/** Waits until no turn is pending, without the usual wait for further messages. */
export async function untilAnswered({ db }: { db: Db }, withinMs = 40_000): Promise<void> {
  const giveUpAt = performance.now() + withinMs
  for (;;) {
    await makeTurnsDue(db)
    const pending = await db.selectFrom('turns').selectAll().execute()
    if (pending.length === 0) return
    if (performance.now() > giveUpAt) throw new Error(`turns are still pending: ${JSON.stringify(pending.slice(0, 3))}`)
    await sleep(25)
  }
}

/** Waits until the worker has embedded all entries of all campaigns. */
export async function untilEmbedded({ db }: { db: Db }, withinMs = 40_000): Promise<void> {
  const giveUpAt = performance.now() + withinMs
  for (;;) {
    const missing = await db.selectFrom('entryTexts').select('text').where('model', 'is', null).limit(1).execute()
    if (missing.length === 0) return
    if (performance.now() > giveUpAt) throw new Error('texts are still not embedded')
    await sleep(25)
  }
}

/** The messages of a conversation, in order, as `author: text`. */
export async function conversation({ db }: { db: Db }, fromId = 'ana'): Promise<string[]> {
  const messages = await db
    .selectFrom('messages as m')
    .innerJoin('contacts as c', (join) =>
      join.onRef('c.accountId', '=', 'm.accountId').onRef('c.id', '=', 'm.contactId'),
    )
    .select(['m.author', 'm.body'])
    .where('c.externalId', '=', fromId)
    .orderBy('m.seq')
    .execute()
  return messages.map(({ author, body }) => `${author}: ${body}`)
}

/** The outcome of each turn, in order, as `outcome, reason`. */
export async function outcomes({ db }: { db: Db }): Promise<string[]> {
  const rows = await db
    .selectFrom('answers')
    .select(['outcome', 'reason'])
    .orderBy('createdAt')
    .orderBy('fromSeq')
    .execute()
  return rows.map(({ outcome, reason }) => `${outcome}, ${reason}`)
}

export async function contactOf({ db }: { db: Db }, fromId = 'ana'): Promise<ContactId> {
  const { id } = await db.selectFrom('contacts').select('id').where('externalId', '=', fromId).executeTakeFirstOrThrow()
  return id
}

/** A model that responds when the test says so: `next()` is its next request, and `answer` responds to it. */
export async function startModel() {
  const asked: { text: string; answer: (reply: string) => void }[] = []
  const receiver = await startReceiver((request, response) => {
    const answer = (reply: string) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(completion(reply)))
    }
    asked.push({ text: lastText(request), answer })
  })
  let taken = 0
  return {
    file: { engine: 'openai-compatible' as const, model: 'test', strict: false, provider: { baseUrl: receiver.url } },
    asked,
    next: async (withinMs = patienceMs) => {
      const giveUpAt = performance.now() + withinMs
      while (asked.length <= taken) {
        if (performance.now() > giveUpAt) throw new Error('the model was not called')
        await sleep(10)
      }
      taken += 1
      const question = asked[taken - 1]
      assert.ok(question)
      return question
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}

function completion(content: string): unknown {
  const message = { role: 'assistant', content }
  return {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'test',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
  }
}

function lastText({ body }: Received): string {
  const { messages } = JSON.parse(String(body))
  const { content } = messages.at(-1)
  return typeof content === 'string' ? content : content.map(({ text }: { text: string }) => text).join('\n')
}
