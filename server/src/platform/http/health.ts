import { statfs } from 'node:fs/promises'
import { cacheFor } from '../cache-for.ts'
import type { Db } from '../database/db.ts'
import { isDiskFull } from '../database/errors.ts'
import { migrationsBehind } from '../database-setup/migrate.ts'
import type { App } from '../http-app.ts'
import { Refusal } from '../refusal.ts'

type Options = {
  stopping?: AbortSignal | undefined
  /** Where the embedded database is. */
  dataDir?: string | undefined
}

/** `/healthz`: it answers. `/readyz`: it can work, and is not about to stop. Neither needs a key or has a limit. */
export function healthRoutes(app: App, db: Db, { stopping, dataDir }: Options = {}): void {
  const hadRoom = watchRoom(app)
  const readiness = cacheFor(readyMs, async () => (await findProblem(db)) ?? (await findFullDisk(dataDir, hadRoom)))
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

/** After a write that found no room, this server counts as full for so long. */
const fullForMs = 5_000

/** Reads still work on a full disk, so only writes show it: notes those of requests that failed for it. */
function watchRoom(app: App): () => boolean {
  let fullAt = Number.NEGATIVE_INFINITY
  app.addHook('onError', (_request, _reply, error, done) => {
    if (isDiskFull(error)) fullAt = performance.now()
    done()
  })
  return () => performance.now() - fullAt > fullForMs
}

/** A table and the write-ahead log grow by up to a megabyte at a time. */
const leastFreeBytes = 4 * 2 ** 20

async function findFullDisk(dataDir: string | undefined, hadRoom: () => boolean): Promise<Refusal | undefined> {
  const disk = dataDir === undefined ? undefined : await statfs(dataDir).catch(() => undefined)
  const hasRoom = disk === undefined || disk.bavail * disk.bsize >= leastFreeBytes
  return hasRoom && hadRoom() ? undefined : new Refusal('INTERNAL', 'The disk of the database is full.')
}
