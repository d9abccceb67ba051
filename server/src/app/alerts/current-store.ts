import type { AlertState } from '@patchbay/contract/app/alerts.ts'
import { sql } from 'kysely'
import type { Sendable } from '../../business/sessions/handlers.ts'
import { isReal, messageWebhook } from '../../outbox/receivers.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'

type State = Sendable<AlertState>

/** More are not named by a browser one by one. */
const mostWaiting = 50

/**
 * What is the case now, whether or not the account has an alert address: a few index reads. Credits, recharges and the alert
 * address itself concern its owners.
 */
export async function readState(
  db: Db,
  { accountId, isOwner }: { accountId: AccountId; isOwner: boolean },
): Promise<State> {
  const [waiting, troubles] = await Promise.all([readWaiting(db, accountId), readTroubles(db, accountId)])
  const isForAll = ({ condition, subject }: State['troubles'][number]) =>
    condition === 'receiver' ? subject === messageWebhook : condition !== 'credits'
  return { waiting, troubles: isOwner ? troubles : troubles.filter(isForAll) }
}

async function readWaiting(db: Db, accountId: AccountId): Promise<State['waiting']> {
  const { rows } = await sql<State['waiting'][number]>`
    select c.contact_id, c.waiting_since as since, nullif(trim(concat_ws(' ', p.first_name, p.last_name)), '') as name
    from conversations c join contacts p on p.account_id = ${accountId} and p.id = c.contact_id
    where c.account_id = ${accountId} and c.waiting_since is not null and c.state = 'open' and c.last_seq > 0
    order by c.waiting_since desc limit ${mostWaiting}
  `.execute(db)
  return rows
}

/** As `fact-store.ts` tells them: a receiver after ten minutes. A browser waits for the rest of their time itself. */
async function readTroubles(db: Db, accountId: AccountId): Promise<State['troubles']> {
  const { rows } = await sql<State['troubles'][number]>`
    select 'receiver' as condition, r.id as subject, null as name,
      r.id || ' ' || extract(epoch from least(r.failing_since, r.paused_at, r.gone_at)) as key
    from receivers r
    where r.account_id = ${accountId} and ${sql.raw(isReal('r.id'))}
      and least(r.failing_since, r.paused_at, r.gone_at) <= now() - interval '10 minutes'
    union all
    select 'bot', c.id, c.name, c.id
    from campaigns c where c.account_id = ${accountId} and c.trouble is not null and c.status = 'live'
    union all
    select 'broadcast', b.id, b.name, b.id || ' ' || extract(epoch from b.halted_at)
    from broadcasts b where b.account_id = ${accountId} and b.halted_at is not null and b.state = 'paused'
    union all
    select 'credits', '', null, 'credits'
    from balances b left join alert_settings s on s.account_id = ${accountId}
    where b.account_id = ${accountId} and b.balance < greatest(coalesce(s.credits_below, b.recharge_threshold, 1), coalesce((
      select t.parked_units from turns t
      where t.account_id = ${accountId} and t.parked_units is not null and t.lease_token is null
      order by t.parked_units desc limit 1
    ), 0))
  `.execute(db)
  return rows
}
