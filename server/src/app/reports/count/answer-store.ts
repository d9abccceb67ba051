import { sql } from 'kysely'
import type { Tx } from '../../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../../platform/ids.ts'

/** `isWish`: a wish for a person. `isMiss`: it left the question unanswered. */
export type CountedAnswer = {
  contactId: ContactId
  fromSeq: number
  atMs: number
  label: string
  isWish: boolean
  isMiss: boolean
}

/**
 * The next answers of an account, and up to which time they were read: all that began before the horizon, which no open
 * transaction can fall behind.
 */
export async function readAnswers(
  tx: Tx,
  accountId: AccountId,
  { from, horizon, limit }: { from: string; horizon: string; limit: number },
): Promise<{ answers: CountedAnswer[]; until: string; hasAny: boolean; hasMore: boolean }> {
  const { rows: bounds } = await sql<{ until: string; hasAny: boolean; hasMore: boolean }>`
    select until::text as until, until < ${horizon}::timestamptz as has_more, coalesce((
      select true from answers a
      where a.account_id = ${accountId} and a.created_at >= ${from}::timestamptz and a.created_at < until
      order by a.created_at limit 1
    ), false) as has_any
    from (
      select least(${horizon}::timestamptz, coalesce((
        select a.created_at from answers a where a.account_id = ${accountId} and a.created_at >= ${from}::timestamptz
        order by a.created_at offset ${limit} limit 1
      ), 'infinity')) as until
    ) as b
  `.execute(tx)
  const { until = from, hasAny = false, hasMore = false } = bounds[0] ?? {}
  if (!hasAny) return { answers: [], until, hasAny, hasMore }
  const { rows: answers } = await sql<CountedAnswer>`
    select a.contact_id, floor(extract(epoch from a.created_at) * 1000)::float8 as at_ms,
      coalesce(case when m.id is null then c.channel else m.channel end, 'custom') as label, a.outcome = 'handed over' as is_wish,
      a.outcome in ('fell back', 'offered') as is_miss, a.from_seq::float8 as from_seq
    from answers a
    join conversations c on c.account_id = ${accountId} and c.contact_id = a.contact_id and not c.is_simulated
    left join messages m on m.account_id = ${accountId} and m.contact_id = a.contact_id and m.seq = a.to_seq
    where a.account_id = ${accountId} and a.created_at >= ${from}::timestamptz and a.created_at < ${until}::timestamptz
      and a.outcome in ('handed over', 'fell back', 'offered', 'answered')
      and a.reason not in ('greeting', 'thanks') -- whoever says thanks for nothing has no answer yet
    order by a.created_at
  `.execute(tx)
  return { answers, until, hasAny, hasMore }
}

export async function moveAnswersTo(tx: Tx, accountId: AccountId, until: string): Promise<void> {
  await sql`
    update report_accounts set answers_to = ${until}::timestamptz
    where account_id = ${accountId} and answers_to < ${until}::timestamptz
  `.execute(tx)
}
