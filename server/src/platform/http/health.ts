import type { Db } from '../database/db.ts'
import { migrationsBehind } from '../database-setup/migrate.ts'
import type { App } from '../http-app.ts'
import { Refusal } from '../refusal.ts'

/** `/healthz`: the process answers. `/readyz`: it can do its work. Anybody may ask, as often as they like. */
export function healthRoutes(app: App, db: Db): void {
  const readiness = rememberFor(readyMs, () => findTrouble(db))
  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async () => {
    const trouble = await readiness()
    if (trouble) throw trouble
    return { status: 'ready' }
  })
}

const readyMs = 1_000

async function findTrouble(db: Db): Promise<Refusal | undefined> {
  try {
    const behind = await migrationsBehind(db)
    return behind > 0 ? new Refusal('INTERNAL', `The database lacks ${behind} migrations.`) : undefined
  } catch (cause) {
    return new Refusal('INTERNAL', 'The database cannot be reached.', { cause })
  }
}

/** Asks once, however many want to know, and again when the answer has been there for so long. */
function rememberFor<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined
  return () => {
    if (!answer) {
      answer = ask()
      const forget = () => void setTimeout(() => (answer = undefined), ms).unref()
      answer.then(forget, forget)
    }
    return answer
  }
}
