import { type AlertCondition, alertConditions } from '@patchbay/contract/alerts.ts'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { lookBack } from './waiting-store.ts'

export type StoredSettings = { conditions: AlertCondition[]; namesContacts: boolean; creditsBelow: string | null }

export async function readSettings(db: Db, accountId: AccountId): Promise<StoredSettings> {
  const found = await db
    .selectFrom('alertSettings')
    .select(['conditions', 'namesContacts', 'creditsBelow'])
    .where('accountId', '=', accountId)
    .executeTakeFirst()
  if (!found) return { conditions: [...alertConditions], namesContacts: false, creditsBelow: null }
  return { ...found, conditions: alertConditions.filter((one) => found.conditions.includes(one)) }
}

export async function writeSettings(tx: Tx, accountId: AccountId, settings: StoredSettings): Promise<void> {
  await tx
    .insertInto('alertSettings')
    .values({ accountId, ...settings })
    .onConflict((conflict) => conflict.column('accountId').doUpdateSet(settings))
    .execute()
}

/** Those that wait by now are not told: it was not wanted when they began to. A look goes back from `since`. */
export async function skipWaiting(tx: Tx, accountId: AccountId): Promise<void> {
  await sql`
    insert into alert_states (account_id, condition, subject, since) values (${accountId}, 'waiting', '', now() + ${lookBack})
    on conflict (account_id, condition, subject) do update set since = excluded.since
  `.execute(tx)
}
