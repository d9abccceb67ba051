import type { Db } from '../../src/platform/database/db.ts'
import { type Outbound, openOutbound } from '../../src/platform/outbound/client.ts'
import { checkSecretKey, findKeyText, readOrMakeSecretKey } from '../../src/platform/secrets/secret-key.ts'
import type { CommandCtx } from './command.ts'
import { judgeBy } from './judge-by.ts'

export type Secrets = { db: Db; secretKey: Buffer; outbound: Outbound }

/**
 * For commands that seal or open secrets, or make outgoing requests, which may go where those of the running server may.
 * Checks that the key is the one of this database.
 */
export async function withSecrets<Value>(
  ctx: CommandCtx,
  work: (secrets: Secrets) => Promise<Value>,
  { callsOut = true }: { callsOut?: boolean } = {},
): Promise<Value> {
  await findKeyText(ctx.config)
  return ctx.withDatabase(async (db) => {
    const secretKey = await db.transaction().execute(async (tx) => {
      const key = await readOrMakeSecretKey(tx, ctx.config)
      await checkSecretKey(tx, key)
      return key
    })
    const { outboundAllowed } = await judgeBy(ctx, db, callsOut ? ['OUTBOUND_ALLOWED_NETWORKS'] : [])
    const outbound = openOutbound({ allowed: outboundAllowed })
    return work({ db, secretKey, outbound }).finally(outbound.close)
  })
}
