import type { EngineBusy } from '../engines/engine.ts'
import type { Engines } from '../engines/engines.ts'
import type { Embedder } from '../knowledge/embedder.ts'
import type { Courier } from '../outbox/courier.ts'
import type { Db } from '../platform/db.ts'
import type { AccountId } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'

/** What the bot works with. */
export type BotCtx = Readonly<{
  db: Db
  engines: Engines
  embedder: Embedder
  secretKey: Buffer
  log: Log
  wakeDelivery: Courier['wake']
  /** A turn of this account found no slot for its model. */
  pause: (accountId: AccountId, busy: EngineBusy) => void
}>
