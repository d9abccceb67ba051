import { sql } from 'kysely'
import type { TestApp } from '../harness.ts'
import { until } from '../until.ts'

/** Waits until the provider of the one channel was asked for what may be missing, and is not asked at this moment. */
export function untilAsked({ db }: Pick<TestApp, 'db'>): Promise<void> {
  return until(async () => {
    const { rows } = await sql`
      select from channel_polls where due_at > now() + interval '9 minutes' and lease_token is null
    `.execute(db)
    return rows.length > 0
  }, 'nobody asked for what may be missing')
}

/** It is asked now, and no longer ago. */
export async function askForMissing(app: Pick<TestApp, 'db'>): Promise<void> {
  await untilAsked(app)
  await sql`update channel_polls set due_at = now()`.execute(app.db)
  await untilAsked(app)
}
