import type { Db } from '../../src/platform/database/db.ts'
import { type Outbound, openOutbound } from '../../src/platform/outbound/client.ts'
import { checkSecretKey, readSecretKey } from '../../src/platform/secrets/secret-key.ts'
import type { CommandCtx } from './command.ts'

type Secrets = { db: Db; secretKey: Buffer; outbound: Outbound }

/** For commands that seal or open secrets, or make outgoing requests. Checks that the key is the one of this database. */
export async function withSecrets<Value>(
  { config, withDatabase }: CommandCtx,
  work: (secrets: Secrets) => Promise<Value>,
): Promise<Value> {
  const secretKey = await readSecretKey(config)
  const outbound = openOutbound({ allowed: config.outboundAllowed })
  return withDatabase(async (db) => {
    await db.transaction().execute((tx) => checkSecretKey(tx, secretKey))
    return work({ db, secretKey, outbound })
  }).finally(outbound.close)
}
