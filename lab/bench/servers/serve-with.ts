import { prepareDatabase } from '../../../server/process/first-start.ts'
import { addApiRoutes } from '../../../server/src/api-handlers.ts'
import { openGuards } from '../../../server/src/business/accounts/guard.ts'
import { openRateLimiter } from '../../../server/src/business/accounts/rate-limit/rate-limit.ts'
import type { Receive } from '../../../server/src/journey/intake/receive.ts'
import { readConfig } from '../../../server/src/platform/config/config.ts'
import { openPools } from '../../../server/src/platform/database/pools.ts'
import { openForServer } from '../../../server/src/platform/database-setup/open-database.ts'
import { createApp } from '../../../server/src/platform/http/create-app.ts'
import { healthRoutes } from '../../../server/src/platform/http/health.ts'
import { readPair, tlsFiles } from '../../../server/src/platform/https-server/certificate-files.ts'
import { createHttpsServer } from '../../../server/src/platform/https-server/https-server.ts'
import { openLog } from '../../../server/src/platform/log.ts'
import { serveUntilStopped } from './announce.ts'

/**
 * Serves the product with another way to receive a message. The routes are the product's own, with their guard,
 * schema, limits, parser, headers and log line, so that a peer cannot drift away from what it is compared with.
 */
export async function serveWith(receive: Receive): Promise<void> {
  const config = readConfig()
  const { log, flush } = openLog(config.logLevel)
  const files = await tlsFiles(config)
  const pair = await readPair(files)
  const database = await openForServer(config, log)
  const { secretKey } = await prepareDatabase(database.db, config)

  const app = createApp(log, (handle) => createHttpsServer(pair, config, handle))
  const pools = openPools(database.address, log)
  const guards = openGuards(pools.keys, openRateLimiter(config.rateLimitPerMinute))
  const notServed = () => Promise.reject(new Error('not served'))
  const send = { now: notServed, within: notServed, wake: () => {} }
  healthRoutes(app, database.db)
  addApiRoutes(app, {
    db: database.db,
    share: (_, work) => work(),
    secretKey,
    guards,
    receive,
    send,
    grant: notServed,
    hint: () => {},
    publicUrl: config.publicUrl,
  })
  await app.listen({ host: config.host, port: config.port })

  await serveUntilStopped(app.server, files.cert)
  app.server.closeAllConnections()
  await app.close()
  await pools.end()
  await database.close()
  flush()
}
