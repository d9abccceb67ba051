import type { Pool } from 'pg'
import { type Receiver, type TransportName, transportOf } from '../../outbox/receivers.ts'
import type { Log } from '../../platform/log.ts'
import type { Instruments } from '../../platform/metrics/instruments.ts'
import { openSettle } from './outcome/settle.ts'
import { openSimulator } from './transports/simulator/simulate.ts'
import type { Transport } from './transports/transport.ts'
import type { PostCtx } from './transports/webhook/post.ts'
import { openSigningKeys } from './transports/webhook/signing-keys.ts'
import { openWebhook } from './transports/webhook/webhook.ts'

export type TransportsCtx = PostCtx &
  Readonly<{ pool: Pool; log: Log; secretKey: Buffer; instruments: Instruments; inFlightPerReceiver: number }>

export type TransportOf = (receiver: Receiver) => Transport

/** Opens every transport. Outcomes of both are stored by the same group commit. */
export function openTransports(ctx: TransportsCtx): TransportOf {
  const shared = {
    inFlight: ctx.inFlightPerReceiver,
    readKeys: openSigningKeys(ctx),
    settle: openSettle(ctx.pool, ctx.instruments.commits.outcomes),
  }
  const transports: Record<TransportName, Transport> = {
    webhook: openWebhook(ctx, shared),
    simulator: openSimulator(ctx, shared),
  }
  return ({ receiverId }) => transports[transportOf(receiverId)]
}
