import { sql } from 'kysely'
import { breaksAfter } from '../../outbox/enqueue-events.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, ContactId, ListId } from '../../platform/ids.ts'
import type { ChannelRow } from '../channels/store.ts'
import { type Audience, whyLeftOut } from './record/audience.ts'
import type { WaitingReason } from './record/store.ts'

/** A list, and how its people are reached over a built-in channel. */
type List = { accountId: AccountId; listId: ListId; audience: Audience }

type Counts = { contacts: number; optedOut: number; blocked: number; noId: number; idTaken: number }

/** Who of a list gets no message over the channel, as it is at this moment. */
export async function countChannelAudience(db: Db, { accountId, listId, audience }: List): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select count(*)::integer as contacts, (count(*) filter (where reason = 'opted_out'))::integer as opted_out,
      (count(*) filter (where reason = 'blocked'))::integer as blocked,
      (count(*) filter (where reason = 'no_id'))::integer as no_id,
      (count(*) filter (where reason = 'id_taken'))::integer as id_taken
    from (
      select ${whyLeftOut(accountId, audience)} as reason
      from list_members m join contacts c on c.account_id = ${accountId} and c.id = m.contact_id
      where m.account_id = ${accountId} and m.list_id = ${listId}
    ) as members
  `.execute(db)
  return rows[0] ?? { contacts: 0, optedOut: 0, blocked: 0, noId: 0, idTaken: 0 }
}

type Reader = { contactId: ContactId; firstName: string | null; lastName: string | null; externalId: string }

/** The first who get a message, each with the address by which they get it. */
export async function readChannelReaders(
  db: Db,
  { accountId, listId, audience }: List,
  limit: number,
): Promise<Reader[]> {
  const channelId = audience.by === 'channel' ? audience.channelId : null
  const { rows } = await sql<Reader>`
    select c.id as contact_id, c.first_name, c.last_name, coalesce((
      select k.address from contact_channels k
      where k.account_id = ${accountId} and k.contact_id = c.id and k.channel_id = ${channelId}
    ), c.phone, '') as external_id
    from list_members m join contacts c on c.account_id = ${accountId} and c.id = m.contact_id
    where m.account_id = ${accountId} and m.list_id = ${listId} and ${whyLeftOut(accountId, audience)} is null
    order by m.contact_id
    limit ${limit}
  `.execute(db)
  return rows
}

/** Names that differ are counted one by one up to so many. */
const mostNames = 20_000

/** The first names of those who get a message, and how many have each. */
export async function readNames(
  db: Db,
  { accountId, listId, audience }: List,
): Promise<{ firstName: string | null; contacts: number }[]> {
  const { rows } = await sql<{ firstName: string | null; contacts: number }>`
    select c.first_name, count(*)::integer as contacts
    from list_members m join contacts c on c.account_id = ${accountId} and c.id = m.contact_id
    where m.account_id = ${accountId} and m.list_id = ${listId} and ${whyLeftOut(accountId, audience)} is null
    group by c.first_name
    limit ${mostNames}
  `.execute(db)
  return rows
}

/** Why the channel can send nothing at the moment. */
export async function findChannelTrouble(
  db: Db,
  { accountId, id, state, pausedAt, isHeld }: ChannelRow,
): Promise<WaitingReason | null> {
  if (state === 'removed') return 'channel_removed'
  if (isHeld) return 'restored_copy'
  if (state === 'attention') return 'channel_attention'
  if (pausedAt !== null) return 'channel_paused'
  const { rows } = await sql<{ trouble: WaitingReason | null }>`
    select case when n.credits_per_message > greatest(0, coalesce(l.balance - l.held, 0)) then 'no_credits'
      when e.failures_in_row >= ${breaksAfter} then 'endpoint_failing' end as trouble
    from channels n left join balances l on l.account_id = ${accountId}
      left join receivers e on e.account_id = ${accountId} and e.id = n.id
    where n.account_id = ${accountId} and n.id = ${id}
  `.execute(db)
  return rows[0]?.trouble ?? null
}
