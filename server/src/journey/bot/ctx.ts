import type { Engines } from '../../answers/engines/choose-engine.ts'
import type { EngineBusy } from '../../answers/engines/common/engine.ts'
import type { Embedder } from '../../answers/knowledge/search/embedder.ts'
import type { Dispatcher } from '../../outbox/dispatcher.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { Instruments } from '../../platform/metrics/instruments.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import type { ShowTyping } from '../channels/show-typing.ts'

export type BotCtx = Readonly<{
  db: Db
  engines: Engines
  embedder: Embedder
  secretKey: Buffer
  log: Log
  wakeDelivery: Dispatcher['wake']
  hint: Hint
  /** Shows a contact of a built-in channel that an answer is being written. */
  showTyping: ShowTyping
  instruments: Pick<Instruments, 'turns' | 'engineFailures'>
  /** A turn of this account found no slot for its model: claim no others of it for a moment. */
  backOffAccount: (accountId: AccountId, busy: EngineBusy) => void
}>
