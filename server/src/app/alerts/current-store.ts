import type { AlertState } from '@patchbay/contract/app/alerts.ts'
import { sql } from 'kysely'
import type { Sendable } from '../../business/sessions/handlers.ts'
import { isReal, messageWebhook } from '../../outbox/receivers.ts'
import { fullName } from '../../people/contacts/full-name-store.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { botIsInTrouble, creditThreshold, isHalted, receiverPatience, takesNothingSince } from './fact-store.ts'

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
    select c.contact_id, c.waiting_since as since, ${sql.raw(fullName('p'))} as name
    from conversations c join contacts p on p.account_id = ${accountId} and p.id = c.contact_id
    where c.account_id = ${accountId} and c.waiting_since is not null and c.state = 'open' and c.last_seq > 0
    order by c.waiting_since desc limit ${mostWaiting}
  `.execute(db)
  return rows
}

/** Troubles of `fact-store.ts`, and the alert address too. A browser waits for the rest of their time itself. */
async function readTroubles(db: Db, accountId: AccountId): Promise<State['troubles']> {
  const { rows } = await sql<State['troubles'][number]>`
    select 'receiver' as condition, r.id as subject, null as name,
      r.id || ' ' || extract(epoch from (${takesNothingSince('r')})) as key
    from receivers r
    where r.account_id = ${accountId} and ${sql.raw(isReal('r.id'))}
      and ${takesNothingSince('r')} <= now() - ${receiverPatience}
    union all
    select 'bot', c.id, c.name, c.id
    from campaigns c where c.account_id = ${accountId} and ${botIsInTrouble('c')}
    union all
    select 'broadcast', b.id, b.name, b.id || ' ' || extract(epoch from b.halted_at)
    from broadcasts b where b.account_id = ${accountId} and ${isHalted('b')}
    union all
    select 'credits', '', null, 'credits'
    from balances b left join alert_settings s on s.account_id = ${accountId}
    where b.account_id = ${accountId} and b.balance < ${creditThreshold('s', 'b')}
  `.execute(db)
  return rows
}
