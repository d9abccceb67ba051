import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, ContactId, MessageId } from '../../platform/ids.ts'
import { storeMedia } from './store.ts'

/** A file to fetch that is leased to this process. `attempts` includes this one, and those that were never settled. */
export type Fetch = {
  accountId: AccountId
  messageId: MessageId
  contactId: ContactId
  /** Its address; null: a channel finds it by its reference. */
  url: string | null
  channel: string | null
  reference: Record<string, unknown> | null
  contentType: string
  attempts: number
  token: string
}

/** A fetch takes 15 s at most, and storing the file a little more. */
const lease = sql`interval '60 s'`

/** Whether there may be a file to fetch. */
export const mayFetch = 'exists (select from attachments where due_at <= now())'

/** Leases files to fetch, at most `perAccount` of each account, and none of busy accounts. */
export async function claimFetches(
  db: Db,
  { limit, perAccount, busy }: { limit: number; perAccount: number; busy: AccountId[] },
): Promise<Fetch[]> {
  const { rows } = await sql<Fetch>`
    with due as (
      select account_id, message_id, due_at from attachments
      where due_at <= now() and (leased_until is null or leased_until < now()) and account_id <> all (${busy})
      order by due_at
      limit 200
    ), fair as (
      select *, row_number() over (partition by account_id order by due_at) as n from due
    )
    update attachments a
    set lease_token = gen_random_uuid(), leased_until = now() + ${lease}, attempts = a.attempts + 1
    from (select account_id, message_id from fair where n <= ${perAccount} order by due_at limit ${limit}) as chosen
    where a.account_id = chosen.account_id and a.message_id = chosen.message_id and a.due_at <= now()
      and (a.leased_until is null or a.leased_until < now())
    returning a.account_id, a.message_id, (
      select m.contact_id from messages m where m.account_id = a.account_id and m.id = a.message_id
    ) as contact_id, (
      select m.channel from messages m where m.account_id = a.account_id and m.id = a.message_id and a.reference is not null
    ) as channel, a.reference, a.url, a.content_type, a.attempts, a.lease_token as token
  `.execute(db)
  return rows
}

/** Stores the file and marks it as stored in one transaction; neither, when the lease was lost. */
export async function keepFetched(db: Db, fetch: Fetch, bytes: Buffer): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { accountId, contentType } = fetch
    const mediaId = await storeMedia(tx, accountId, { contentType, bytes })
    const kept = await settled(tx, fetch).set({ state: 'stored', mediaId, dueAt: null }).executeTakeFirst()
    if (kept.numUpdatedRows === 0n) throw new Error('fetching a file outlasted its lease')
  })
}

export async function giveUpFetch(
  db: Db,
  fetch: Fetch,
  state: 'unreachable' | 'not allowed' | 'wrong type' | 'too large',
): Promise<void> {
  await settled(db, fetch).set({ state, dueAt: null }).execute()
}

export async function postponeFetch(db: Db, fetch: Fetch, seconds: number): Promise<void> {
  await settled(db, fetch)
    .set({ dueAt: sql`now() + ${seconds} * interval '1 s'` })
    .execute()
}

function settled(db: Db, { accountId, messageId, token }: Fetch) {
  return db
    .updateTable('attachments')
    .set({ leaseToken: null, leasedUntil: null })
    .where('accountId', '=', accountId)
    .where('messageId', '=', messageId)
    .where('leaseToken', '=', token)
}
