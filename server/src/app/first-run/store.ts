import type { TestResult } from '@patchbay/contract/app/receivers.ts'
import { sql } from 'kysely'
import { outgoingStatus } from '../../journey/messages/status-store.ts'
import { messageWebhook } from '../../outbox/receivers.ts'
import { shownName } from '../../people/contacts/shown-name-store.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, CampaignId, UserId } from '../../platform/ids.ts'

type User = { accountId: AccountId; userId: UserId }

export type FirstMessage = {
  contactId: string
  contactName: string | null
  text: string
  label: string
  isSimulated: boolean
  at: Date
}

/**
 * The first message that came in, or the first delivered reply; of the simulator only where there is no other. Looked
 * for among the oldest and latest: an account that only sends, or whose receiver is down, may have many others.
 */
export async function findFirst(
  db: Db,
  accountId: AccountId,
  { which, over }: { which: 'message in' | 'delivered reply'; over: 'custom' | 'built-in' },
): Promise<FirstMessage | undefined> {
  const isWanted = which === 'message in' ? sql`m.direction = 'incoming'` : sql`d.sent_at is not null`
  const isOver = sql.raw(`coalesce(m.channel, '') ${over === 'custom' ? 'not like' : 'like'} 'chn\\_%'`)
  const { rows } = await sql<FirstMessage>`
    with looked_at as materialized (
      (select id from messages where account_id = ${accountId} order by id limit ${lookedAt})
      union
      (select id from messages where account_id = ${accountId} order by id desc limit ${lookedAt})
    )
    select m.contact_id, ${sql.raw(shownName('c'))} as contact_name,
      left(m.body, ${textCharacters}) as text, coalesce(m.channel, 'custom') as label, c.is_simulated, coalesce(d.sent_at, m.created_at) as at
    from messages m
    join contacts c on c.account_id = ${accountId} and c.id = m.contact_id
    left join deliveries d on d.account_id = ${accountId} and d.id = m.id
    where m.account_id = ${accountId} and m.id = any (array(select id from looked_at)) and ${isWanted} and ${isOver}
    order by c.is_simulated, m.id
    limit 1
  `.execute(db)
  return rows[0]
}

const lookedAt = 500
const textCharacters = 160

export type Setup = {
  keyMadeAt: Date | null
  url: string | null
  savedAt: Date | null
  lastTest: TestResult | null
  tookReplyAt: Date | null
  failingSince: Date | null
  question: string | null
  taughtAt: Date | null
  isHidden: boolean
  businessName: string | null
  userName: string | null
  timeZone: string
}

/** What the account has set up so far, and whether this user has hidden the steps. */
export async function findMade(db: Db, { accountId, userId }: User): Promise<Setup | undefined> {
  const { rows } = await sql<Setup>`
    select u.first_run_hidden as is_hidden, a.name as business_name, u.name as user_name, a.time_zone, k.created_at as key_made_at, e.url, e.created_at as saved_at, e.last_test,
      e.last_success_at as took_reply_at, greatest(e.failing_since, e.gone_at) as failing_since,
      t.question, t.created_at as taught_at
    from users u join accounts a on a.id = ${accountId}
    left join api_keys k on k.account_id = ${accountId}
    left join receivers e on e.account_id = ${accountId} and e.id = ${sql.lit(messageWebhook)}
    left join lateral (
      select n.created_at, (
        select x.text from entry_texts x where x.account_id = ${accountId} and x.entry_id = n.id and x.n = 1
      ) as question
      from entries n where n.account_id = ${accountId} order by n.id limit 1
    ) as t on true
    where u.account_id = ${accountId} and u.id = ${userId}
  `.execute(db)
  return rows[0]
}

export type RecentMessage = {
  at: Date
  direction: 'incoming' | 'outgoing'
  status: string
  fault: string | null
  isSimulated: boolean
}

/** The latest messages, newest first, with what became of those that went out. */
export async function listPassed(db: Db, accountId: AccountId, limit: number): Promise<RecentMessage[]> {
  const { rows } = await sql<RecentMessage>`
    select coalesce(d.last_attempt_at, m.created_at) as at, m.direction, ${sql.raw(outgoingStatus('d'))} as status,
      coalesce(d.error_http_status::text, replace(d.error_category, '_', ' ')) as fault, c.is_simulated
    from (
      select id, contact_id, direction, created_at from messages where account_id = ${accountId} order by id desc limit ${limit}
    ) as m
    join contacts c on c.account_id = ${accountId} and c.id = m.contact_id
    left join deliveries d on d.account_id = ${accountId} and d.id = m.id
    order by at desc
  `.execute(db)
  return rows
}

export async function setHidden(db: Db, { accountId, userId }: User, firstRunHidden: boolean): Promise<void> {
  await db
    .updateTable('users')
    .set({ firstRunHidden })
    .where('accountId', '=', accountId)
    .where('id', '=', userId)
    .execute()
}

export async function findDefaultCampaign(db: Db, accountId: AccountId): Promise<CampaignId | undefined> {
  const found = await db
    .selectFrom('campaigns')
    .select('id')
    .where('accountId', '=', accountId)
    .where('isDefault', '=', true)
    .executeTakeFirst()
  return found?.id
}

/** Whether a text of the campaign still has no vector: until it has, an entry is found by its words alone. */
export async function hasMissingVectors(db: Db, accountId: AccountId, campaignId: CampaignId): Promise<boolean> {
  const { rows } = await sql`
    select from entries e cross join lateral (
      select from entry_texts t
      where t.account_id = ${accountId} and t.entry_id = e.id and t.model is null
      limit 1
    ) as missing
    where e.account_id = ${accountId} and e.campaign_id = ${campaignId}
    limit 1
  `.execute(db)
  return rows.length > 0
}
