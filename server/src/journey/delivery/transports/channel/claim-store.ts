import { sql } from 'kysely'
import type { LeasedEvent } from '../../../../outbox/enqueue-events.ts'
import type { Tx } from '../../../../platform/database/db.ts'

type PartRef = Pick<LeasedEvent, 'accountId' | 'id'> & { n: number }

/** What its provider has of a part in doubt, or has said of it in a receipt: `unknown` where another one, of which nobody knows either, may be what was found. */
type Claimed = 'taken' | 'none' | 'unknown'

/** Two parts that say the same may be taken for each other when they began within this time: clocks differ. */
const mayBeMixedUp = '15 minutes'

/**
 * Of the messages that the provider has, the first that is no other part's is this one. Two that look at the same time cannot both have
 * it: the second meets the unique index, and looks again as after any failure to store.
 */
export async function claimFound(
  tx: Tx,
  { accountId, id, n, receiverId, contactId }: PartRef & Pick<LeasedEvent, 'receiverId' | 'contactId'>,
  providerIds: string[],
): Promise<Claimed> {
  const { rows } = await sql<{ isTold: boolean; freeId: string | null; hasTwin: boolean }>`
    select p.accepted_at is not null or p.failed_at is not null as is_told, (
      select g.id from unnest(${providerIds}::text[]) with ordinality as g (id, at)
      where not exists (
        select from delivery_parts o where o.account_id = ${accountId} and o.channel_id = ${receiverId} and o.provider_id = g.id
      )
      order by g.at limit 1
    ) as free_id, exists (
      select from delivery_parts o
      where o.account_id = ${accountId} and o.contact_id = ${contactId} and o.channel_id = ${receiverId}
        and (o.delivery_id <> p.delivery_id or o.n <> p.n) and o.content ->> 'text' = p.content ->> 'text'
        and o.begun_at > p.begun_at - ${mayBeMixedUp}::interval and (o.provider_id is null or o.resent_at is not null)
    ) as has_twin
    from delivery_parts p where p.account_id = ${accountId} and p.delivery_id = ${id} and p.n = ${n}
    for update
  `.execute(tx)
  const [part] = rows
  if (!part) return 'unknown' // it was removed meanwhile
  if (part.isTold) return 'taken' // a receipt came while it was asked
  if (part.freeId === null) return 'none'
  if (part.hasTwin) return 'unknown'
  await sql`
    update delivery_parts
    set accepted_at = now(), provider_id = ${part.freeId}, doubt_since = null, error_code = null, error_detail = null
    where account_id = ${accountId} and delivery_id = ${id} and n = ${n}
  `.execute(tx)
  return 'taken'
}

/** Its provider never got it: it is as if it had never begun. */
export async function writeNeverLeft(tx: Tx, { accountId, id, n }: PartRef): Promise<void> {
  await sql`
    update delivery_parts set begun_at = null, doubt_since = null
    where account_id = ${accountId} and delivery_id = ${id} and n = ${n}
  `.execute(tx)
}
