import type { ChannelOrigins } from '../../../../platform/config/channel-origins.ts'
import type { Db } from '../../../../platform/database/db.ts'
import type { Log } from '../../../../platform/log.ts'
import type { Hint } from '../../../../platform/notify/hints.ts'
import type { Outbound } from '../../../../platform/outbound/client.ts'

export type ChannelTransportCtx = Readonly<{
  db: Db
  secretKey: Buffer
  outbound: Outbound
  origins: ChannelOrigins
  /** Where others reach us, if the operator has said so. */
  publicUrl: string | undefined
  hint: Hint
  log: Log
  /** How many messages of one channel a process has under way. */
  inFlightPerChannel: number
}>
