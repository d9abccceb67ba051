import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Broadcast, BroadcastCounts } from '@patchbay/contract/api/broadcasts.ts'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/database/db.ts'
import { type AccountId, type ContactId, type ListId, newId } from '../../src/platform/ids.ts'
import type { TestAccount } from './harness.ts'

type Owner = { accountId: AccountId; listId: ListId }

/**
 * Contacts on the account's list, with the external ids `to-1`, `to-2` and so on and the names `Reader b`, `Reader c`: a name
 * has no digits. Returned in the order of their turns.
 */
export async function makeMembers(db: Db, { accountId, listId }: Owner, count: number): Promise<ContactId[]> {
  const ids = Array.from({ length: count }, () => newId('con')).sort()
  await sql`
    insert into contacts (account_id, id, external_id, first_name)
    select ${accountId}, id, 'to-' || n, 'Reader ' || translate(n::text, '0123456789', 'abcdefghij') from unnest(${ids}::text[]) with ordinality as k (id, n)
  `.execute(db)
  await sql`
    insert into list_members (account_id, list_id, contact_id)
    select ${accountId}, ${listId}, id from unnest(${ids}::text[]) as k (id)
  `.execute(db)
  return ids
}

export const news = { customChannel: 'web chat', body: 'Hello {{firstName}}, we are open.', ratePerMinute: 6_000 }

/** Starts a broadcast to the account's list and returns its id. */
export async function startCast(account: TestAccount, over: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await account.post('/broadcasts', { listId: account.listId, ...news, ...over })
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}

/** The broadcast once it matches the condition. What it counts adds up each time that it is looked at. */
export async function untilCast(
  { get }: Pick<TestAccount, 'get'>,
  id: string,
  isReady: (broadcast: Broadcast) => boolean,
  withinMs = 60_000,
): Promise<Broadcast> {
  const giveUpAt = performance.now() + withinMs
  for (;;) {
    const { status, body } = await get(`/broadcasts/${id}`)
    assert.equal(status, 200)
    assertAddsUp(body.counts)
    if (isReady(body)) return body
    assert.ok(performance.now() < giveUpAt, `the broadcast did not match: ${JSON.stringify(body)}`)
    await sleep(25)
  }
}

export const isFinished = ({ state, counts }: Broadcast) => state === 'finished' && counts.waiting === 0

function assertAddsUp({ recipients, sent, failed, waiting, leftOut }: BroadcastCounts): void {
  const all = [sent, failed, waiting, ...Object.values(leftOut)]
  assert.equal(
    all.reduce((sum, count) => sum + count, 0),
    recipients,
  )
  for (const count of all) assert.ok(count >= 0)
}

/** The external ids of all who were sent something, in the order of arrival. */
export function readersOf({ requests }: { requests: { body: Buffer }[] }): string[] {
  return requests.map(({ body }) => JSON.parse(body.toString()).toId)
}

/** Puts these contacts on the account's list. */
export async function putOnList(db: Db, { accountId, listId }: Owner, contactIds: readonly string[]): Promise<void> {
  await sql`
    insert into list_members (account_id, list_id, contact_id)
    select ${accountId}, ${listId}, id from unnest(${contactIds}::text[]) as k (id)
  `.execute(db)
}

/** What a broadcast over a built-in channel says. */
export const newsOver = (channelId: string) => ({ ...news, customChannel: undefined, channelId })
