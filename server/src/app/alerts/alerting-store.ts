import { alertConditions } from '@patchbay/contract/alerts.ts'
import { sql } from 'kysely'
import { alertWebhook } from '../../outbox/receivers.ts'

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
