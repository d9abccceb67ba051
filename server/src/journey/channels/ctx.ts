import type { ChannelOrigins } from '../../platform/config/channel-origins.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { Log } from '../../platform/log.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import type { CallProvider } from './call.ts'
import type { ChannelRef } from './store.ts'

/** What connecting, changing and looking at channels needs. */
export type ChannelCtx = Readonly<{
  db: Db
  secretKey: Buffer
  call: CallProvider
  /** The address by which others reach us, where the operator has set one. */
  publicUrl: string | undefined
  /** The same, or else what we take for it. */
  ownUrl: string
  origins: ChannelOrigins
  hint: Hint
  log: Log
  /** Ends what waited in a restored copy, which people have to look at, and halts broadcasts there. They are of rooms that build on this one. */
  giveToPeople: (tx: Tx, channel: ChannelRef) => Promise<void>
  haltRestored: (tx: Tx, channel: ChannelRef) => Promise<void>
  /** Owes answers to those who wrote while a channel was paused over which nothing waits. It is of such a room, too. */
  oweAfterPause: (tx: Tx, channel: ChannelRef) => Promise<void>
}>
