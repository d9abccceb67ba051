import { type RawBuilder, sql } from 'kysely'
import type { AccountId, ChannelId } from '../../../platform/ids.ts'
import type { ProviderKind } from '../../channels/kinds/kind.ts'
import { type Broadcast, type IdFrom, idTakenBy, idToGive } from './store.ts'
import type { Way } from './way.ts'

/** How the people of a list are reached: by their id on an external platform, or by how they are known on a built-in channel. */
export type Audience =
  | { by: 'id'; idFrom: IdFrom | null }
  | { by: 'channel'; channelId: ChannelId; writesFirstTo: ProviderKind['writesFirstTo'] }

export function audienceOf({ idFrom }: Pick<Broadcast, 'idFrom'>, way: Way | undefined): Audience {
  return way ? { by: 'channel', channelId: way.row.id, writesFirstTo: way.kind.writesFirstTo } : { by: 'id', idFrom }
}

/** Why contact `c` gets no message; null: they get one. */
export function whyLeftOut(accountId: AccountId, audience: Audience): RawBuilder<string | null> {
  return audience.by === 'channel' ? whyNotOver(accountId, audience) : whyWithoutId(accountId, audience.idFrom)
}

function whyWithoutId(accountId: AccountId, idFrom: IdFrom | null): RawBuilder<string | null> {
  return sql`case when c.opted_out_at is not null then 'opted_out' when c.external_id is not null then null
    when ${idFrom}::text is null or c.is_simulated then 'no_id' when ${idToGive(idFrom)} is null then 'no_address'
    when ${idTakenBy(accountId, idFrom)} then 'id_taken' end`
}

/** The last who would get one is who has the number: another contact may be known there by it. */
function whyNotOver(
  accountId: AccountId,
  { channelId, writesFirstTo }: Extract<Audience, { by: 'channel' }>,
): RawBuilder<string | null> {
  const known = sql`from contact_channels k
    where k.account_id = ${accountId} and k.contact_id = c.id and k.channel_id = ${channelId}`
  const others = sql`from contact_addresses d
    where d.account_id = ${accountId} and d.channel_id = ${channelId} and d.kind = 'phone' and d.address = c.phone
      and d.contact_id <> c.id`
  const isReached = writesFirstTo === 'phone numbers' ? sql`not c.is_simulated and c.phone is not null` : sql`false`
  return sql`case when c.opted_out_at is not null then 'opted_out'
    when exists (select ${known} and k.stop_scope in ('all', 'team')) then 'blocked'
    when exists (select ${known} and k.address is not null) then null
    when not (${isReached}) then 'no_id' when exists (select ${others}) then 'id_taken' end`
}
