import { type AlertCondition, alertConditions } from '@patchbay/contract/alerts.ts'
import type { AlertState } from '@patchbay/contract/app/alerts.ts'
import { strangerReasons } from '@patchbay/contract/channels.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Sendable } from '../../business/sessions/handlers.ts'
import { alertWebhook, isSaved, messageWebhook, rechargeWebhook } from '../../outbox/receivers.ts'
import { shownName } from '../../people/contacts/shown-name-store.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'

/**
 * The accounts that are told, as a part of a statement: those with an alert address that is not paused. While it is paused
 * nothing is noted, so that what is over by then is never told, and what still lasts is told once. It is not materialized,
 * because then it could only be read from its beginning, for each state.
 *
 * Reads no other CTE. Gives `alerting`.
 */
export const alerting = sql`
  alerting as not materialized (
    select e.account_id, e.url, e.created_at, s.credits_below, coalesce(s.names_contacts, false) as names_contacts,
      coalesce(s.conditions, ${[...alertConditions]}::text[]) as conditions
    from receivers e left join alert_settings s on s.account_id = e.account_id
    where e.id = ${sql.lit(alertWebhook)} and e.paused_at is null
  )`

/** A condition that lasts, as `state-store.ts` follows it. In its parts `x` is a row of its table, and `a` the account. */
export type Condition = {
  name: Exclude<AlertCondition, 'waiting'>
  /** Its rows of the account `a`. */
  join: RawBuilder<unknown>
  /** A column of the row of the state `s`. */
  rowOf: (column: RawBuilder<unknown>) => RawBuilder<unknown>
  /** Which of an account it is. */
  subject: RawBuilder<unknown>
  /** Whether it is the case now. */
  holds: RawBuilder<unknown>
  /**
   * Since when it is the case; null: since it was seen first. One that is later than when it was told is another time,
   * even if nobody saw that it was over in between.
   */
  since: RawBuilder<unknown> | null
  /** For so long it must have been the case. */
  holdSeconds: number
  /** What its sentence needs. */
  info: RawBuilder<unknown>
  /** Whether it is known to be over, and not just not to be seen any more; `s` is the state. */
  isProven: RawBuilder<unknown>
}

/** Shorter troubles mend themselves: a model that answers the next attempt, a recharge that is on its way. */
const troubleSeconds = 60

/** Since when the receiver `x` takes nothing. */
const takesNothingSince = (x: string) => sql.raw(`least(${x}.failing_since, ${x}.paused_at, ${x}.gone_at)`)

/** A receiver is in trouble when it has taken nothing for this long, and a channel when it has needed somebody. */
const receiverPatience = sql.raw(`interval '10 minutes'`)

export const receivers: Condition = {
  name: 'receiver',
  join: sql`join receivers x on x.account_id = a.account_id`,
  rowOf: (column) => sql`(select ${column} from receivers x where x.account_id = s.account_id and x.id = s.subject)`,
  subject: sql`x.id`,
  holds: sql`x.id in (${sql.lit(messageWebhook)}, ${sql.lit(rechargeWebhook)})
    and ${takesNothingSince('x')} <= now() - ${receiverPatience}`,
  since: takesNothingSince('x'),
  holdSeconds: 0,
  info: sql`jsonb_build_object('url', x.url, 'state', case when x.paused_at is not null then 'paused'
    when x.gone_at is not null then 'gone' else 'failing' end)`,
  isProven: sql`exists (
    select from receivers r
    where r.account_id = s.account_id and r.id = s.subject and r.failing_since is null and r.last_success_at >= s.told_at
  )`,
}

/** Whether the campaign `x` is live, and its engine does not answer. */
const botIsInTrouble = (x: string) => sql.raw(`${x}.trouble is not null and ${x}.status = 'live'`)

export const bots: Condition = {
  name: 'bot',
  join: sql`join campaigns x on x.account_id = a.account_id`,
  rowOf: (column) => sql`(select ${column} from campaigns x where x.account_id = s.account_id and x.id = s.subject)`,
  subject: sql`x.id`,
  holds: botIsInTrouble('x'),
  since: null,
  holdSeconds: troubleSeconds,
  info: sql`jsonb_build_object('name', x.name, 'trouble', x.trouble)`,
  // A change of its settings clears the trouble too, which proves nothing.
  isProven: sql`exists (
    select from answers n
    where n.account_id = s.account_id and n.campaign_id = s.subject and n.message_id is not null
      and n.created_at > s.told_at
  )`,
}

/**
 * Below which balance credits are low: what the account says, or what its agency says for recharges; and always what the
 * dearest of the answers costs that wait for credits.
 */
const creditThreshold = (settings: string, x: string) =>
  sql.raw(`greatest(coalesce(${settings}.credits_below, ${x}.recharge_threshold, 1), coalesce((
  select t.parked_units from turns t
  where t.account_id = ${x}.account_id and t.parked_units is not null and t.lease_token is null
  order by t.parked_units desc limit 1
), 0))`)

const threshold = creditThreshold('a', 'x')

export const credits: Condition = {
  name: 'credits',
  join: sql`join balances x on x.account_id = a.account_id`,
  rowOf: (column) => sql`(select ${column} from balances x where x.account_id = s.account_id)`,
  subject: sql`''`,
  holds: sql`x.balance < ${threshold}`,
  since: null,
  holdSeconds: troubleSeconds,
  info: sql`jsonb_build_object('balance', x.balance::text, 'threshold', (${threshold})::text)`,
  isProven: sql`true`,
}

/** Whether the service has paused the broadcast `x` by itself: its receiver took nothing for ten minutes. */
const isHalted = (x: string) => sql.raw(`${x}.halted_at is not null and ${x}.state = 'paused'`)

export const broadcasts: Condition = {
  name: 'broadcast',
  join: sql`join broadcasts x on x.account_id = a.account_id`,
  rowOf: (column) => sql`(select ${column} from broadcasts x where x.account_id = s.account_id and x.id = s.subject)`,
  subject: sql`x.id`,
  holds: isHalted('x'),
  since: sql`x.halted_at`,
  holdSeconds: 0,
  info: sql`jsonb_build_object('name', x.name, 'reason', x.halted_reason, 'channel', case when x.channel like 'chn\\_%' then x.channel end)`,
  isProven: sql`true`,
}

/** Since when the channel `x` needs somebody. Its own rules mend what passes in less: another reader that ends, a slow provider. */
const needsSomebodySince = (x: string) => sql.raw(`case when ${x}.state = 'attention' then ${x}.attention_since end`)

/** What strangers do is told at once: it lasts for a while when it is seen. */
const channelPatience = (x: string) =>
  sql.raw(`case when ${x}.attention_reason in (${strangerReasons.map((reason) => `'${reason}'`).join(', ')})
    then interval '0' else interval '10 minutes' end`)

export const channels: Condition = {
  name: 'channel',
  join: sql`join channels x on x.account_id = a.account_id`,
  rowOf: (column) => sql`(select ${column} from channels x where x.account_id = s.account_id and x.id = s.subject)`,
  subject: sql`x.id`,
  holds: sql`${needsSomebodySince('x')} <= now() - ${channelPatience('x')}`,
  since: needsSomebodySince('x'),
  holdSeconds: 0,
  info: sql`jsonb_build_object('name', x.name, 'kind', x.kind, 'reason', x.attention_reason)`,
  // One that was removed needs nobody, and does not work either.
  isProven: sql`exists (
    select from channels c where c.account_id = s.account_id and c.id = s.subject and c.state = 'working'
  )`,
}

/**
 * Looks at the movements of credits since the last look: where the balance was at the threshold or above for a moment, it is
 * another time that it is below. The charges themselves write nothing for this.
 */
export async function rearmCredits(tx: Tx): Promise<void> {
  await sql`
    with ${alerting}, moved as materialized (
      select s.account_id, x.version, s.version is not null and (
        select true from ledger l
        where l.account_id = s.account_id and l.n > s.version and l.n <= x.version and l.balance_after >= ${threshold}
        limit 1
      ) is not null as was_above
      from alerting a
      join alert_states s on s.account_id = a.account_id and s.condition = 'credits'
      join balances x on x.account_id = a.account_id and x.version > coalesce(s.version, -1)
      order by s.account_id for update of s
    )
    update alert_states s
    set version = m.version, since = case when m.was_above then now() else s.since end,
      told_at = case when not m.was_above then s.told_at end
    from moved m where s.account_id = m.account_id and s.condition = 'credits'
  `.execute(tx)
}

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
    select c.contact_id, c.waiting_since as since, ${sql.raw(shownName('p'))} as name
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
    where r.account_id = ${accountId} and ${sql.raw(isSaved('r.id'))}
      and ${takesNothingSince('r')} <= now() - ${receiverPatience}
    union all
    select 'bot', c.id, c.name, c.id
    from campaigns c where c.account_id = ${accountId} and ${botIsInTrouble('c')}
    union all
    select 'broadcast', b.id, b.name, b.id || ' ' || extract(epoch from b.halted_at)
    from broadcasts b where b.account_id = ${accountId} and ${isHalted('b')}
    union all
    select 'channel', n.id, n.name, n.id || ' ' || extract(epoch from n.attention_since)
    from channels n where n.account_id = ${accountId} and ${needsSomebodySince('n')} <= now() - ${channelPatience('n')}
    union all
    select 'credits', '', null, 'credits'
    from balances b left join alert_settings s on s.account_id = ${accountId}
    where b.account_id = ${accountId} and b.balance < ${creditThreshold('s', 'b')}
  `.execute(db)
  return rows
}
