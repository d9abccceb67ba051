import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'

/** The numbers of these channels; new ones get the next. The caller has locked the account. */
export async function numberChannels(tx: Tx, accountId: AccountId, labels: string[]): Promise<Map<string, number>> {
  const known = await readChannels(tx, accountId)
  const fresh = [...new Set(labels)].filter((label) => !known.has(label))
  if (fresh.length === 0) return known
  await sql`
    insert into report_channels (account_id, id, label)
    select ${accountId}, (
      select coalesce(max(h.id), 0) from report_channels h where h.account_id = ${accountId}
    ) + g.n, g.label
    from unnest(${fresh}::text[]) with ordinality as g (label, n)
  `.execute(tx)
  return readChannels(tx, accountId)
}

async function readChannels(db: Db, accountId: AccountId): Promise<Map<string, number>> {
  const { rows } = await sql<{ label: string; id: number }>`
    select label, id from report_channels where account_id = ${accountId} and label is not null
  `.execute(db)
  return new Map(rows.map(({ label, id }) => [label, id]))
}

/**
 * Forgets labels that no contact of the account has any more: they may be words of one who was erased. Their sums stay,
 * without a name. The id of a built-in channel is nobody's word, and whatever it cost is still asked for by channel.
 */
export async function forgetUnusedChannels(tx: Tx, accountId: AccountId): Promise<void> {
  await sql`
    update report_channels h set label = null
    where h.account_id = ${accountId} and h.label is not null and h.label not like 'chn\\_%' and (
      select true from report_marks k where k.account_id = ${accountId} and h.id = any (k.channels) limit 1
    ) is null
  `.execute(tx)
}
