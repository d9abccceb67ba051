import type { Db } from './db.ts'
import type { App } from './http.ts'
import { migrationsBehind } from './migrate.ts'
import { Refusal } from './refusal.ts'

/** `/healthz`: the process answers. `/readyz`: it can do its work. */
export function healthRoutes(app: App, db: Db): void {
  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async () => {
    const behind = await migrationsBehind(db).catch((cause) => {
      throw new Refusal('INTERNAL', 'The database cannot be reached.', { cause })
    })
    if (behind > 0) throw new Refusal('INTERNAL', `The database lacks ${behind} migrations.`)
    return { status: 'ready' }
  })
}
