import { cacheFor } from '../cache-for.ts'
import type { Db } from '../database/db.ts'
import { migrationsBehind } from '../database-setup/migrate.ts'
import type { App } from '../http-app.ts'
import { Refusal } from '../refusal.ts'

/**
 * `/healthz`: the process answers. `/readyz`: it can do its work, and is not about to stop. Both need no key and have no
 * rate limit.
 */
export function healthRoutes(app: App, db: Db, stopping?: AbortSignal): void {
  const readiness = cacheFor(readyMs, () => findProblem(db))
  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async () => {
    if (stopping?.aborted) throw new Refusal('INTERNAL', 'This server is stopping.')
    const problem = await readiness()
    if (problem) throw problem
    return { status: 'ready' }
  })
}

const readyMs = 1_000

async function findProblem(db: Db): Promise<Refusal | undefined> {
  try {
    const behind = await migrationsBehind(db)
    return behind > 0 ? new Refusal('INTERNAL', `The database lacks ${behind} migrations.`) : undefined
  } catch (cause) {
    return new Refusal('INTERNAL', 'The database cannot be reached.', { cause })
  }
}
