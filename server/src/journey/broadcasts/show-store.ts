import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, BroadcastId, CampaignId, ContactId, ListId, UserId } from '../../platform/ids.ts'
import type { BroadcastRef } from './record/store.ts'

/** The names of what broadcasts name; what is gone is missing. */
export type NamesOfBroadcasts = { lists: Set<ListId>; campaigns: Map<CampaignId, string>; users: Map<UserId, string> }

export async function readNames(
  db: Db,
  accountId: AccountId,
  { lists, campaigns, users }: { lists: ListId[]; campaigns: CampaignId[]; users: UserId[] },
): Promise<NamesOfBroadcasts> {
  const { rows } = await sql<{ kind: 'list' | 'campaign' | 'user'; id: string; name: string }>`
    select 'list' as kind, id, name from lists where account_id = ${accountId} and id = any (${lists}::text[])
    union all
    select 'campaign', id, name from campaigns where account_id = ${accountId} and id = any (${campaigns}::text[])
    union all
    select 'user', id, coalesce(name, split_part(email, '@', 1), 'Somebody') from users
    where account_id = ${accountId} and id = any (${users}::text[])
  `.execute(db)
  const of = (kind: string) => rows.filter((row) => row.kind === kind).map(({ id, name }) => [id, name] as const)
  return {
    lists: new Set(of('list').map(([id]) => id as ListId)),
    campaigns: new Map(of('campaign') as [CampaignId, string][]),
    users: new Map(of('user') as [UserId, string][]),
  }
}

export type ShownRecipient = {
  n: number
  contactId: ContactId | null
  firstName: string | null
  lastName: string | null
  externalId: string | null
  category: string | null
  httpStatus: number | null
  at: Date
}

export type RecipientFilter = 'failed' | 'answered' | 'left out'

/** Recipients in the order of their turns, after the given one. */
export async function readRecipients(
  db: Db,
  { accountId, broadcastId }: BroadcastRef,
  { which, after, limit }: { which: RecipientFilter; after: number; limit: number },
): Promise<ShownRecipient[]> {
  const isWanted = {
    failed: sql`r.state = 'failed'`,
    'left out': sql`r.state = 'left_out'`,
    answered: sql`r.answered_at is not null`,
  }[which]
  const category = which === 'left out' ? sql`r.reason` : sql`r.error_category`
  const { rows } = await sql<ShownRecipient>`
    select r.n, c.id as contact_id, c.first_name, c.last_name, c.external_id, ${category} as category,
      r.error_http_status as http_status, coalesce(${which === 'answered' ? sql`r.answered_at` : sql`r.settled_at`}, now()) as at
    from broadcast_recipients r left join contacts c on c.account_id = ${accountId} and c.id = r.contact_id
    where r.account_id = ${accountId} and r.broadcast_id = ${broadcastId} and r.n > ${after} and ${isWanted}
    order by r.n
    limit ${limit}
  `.execute(db)
  return rows
}

export async function findBroadcastId(
  db: Db,
  { accountId, broadcastId }: BroadcastRef,
): Promise<BroadcastId | undefined> {
  const found = await db
    .selectFrom('broadcasts')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', broadcastId)
    .executeTakeFirst()
  return found?.id
}
