import type { Pool } from 'pg'
import { type Receiver, type TransportName, transportOf } from '../../outbox/receivers.ts'
import type { Log } from '../../platform/log.ts'
import type { Instruments } from '../../platform/metrics/instruments.ts'
import { openSettle } from './outcome/settle.ts'
import { openChannelTransport } from './transports/channel/channel.ts'
import type { ChannelTransportCtx } from './transports/channel/ctx.ts'
import { openSimulator } from './transports/simulator/simulate.ts'
import type { Transport } from './transports/transport.ts'
import type { PostCtx } from './transports/webhook/post.ts'
import { openSigningKeys } from './transports/webhook/signing-keys.ts'
import { openWebhook, type TransportParts } from './transports/webhook/webhook.ts'

export type TransportsCtx = PostCtx &
  ChannelTransportCtx &
  Readonly<{ pool: Pool; log: Log; secretKey: Buffer; instruments: Instruments; inFlightPerReceiver: number }>

export type TransportOf = (receiver: Receiver) => Transport

/** Opens every transport. Outcomes of webhooks and of the simulator are stored by the same group commit. */
export function openTransports(ctx: TransportsCtx): TransportOf {
  const settle = openSettle(ctx.pool, ctx.instruments.commits.outcomes)
  const shared: TransportParts = {
    inFlight: ctx.inFlightPerReceiver,
    readKeys: openSigningKeys(ctx),
    settle: async (event, attempt, settlementOf) => {
      if (attempt.status === 'Waits') throw new Error('an attempt of a webhook waits for nothing')
      const settlement = settlementOf(event, attempt)
      return { ...(await settle(event, settlement)), dueInSeconds: settlement.dueInSeconds }
    },
  }
  const transports: Record<TransportName, Transport> = {
    webhook: openWebhook(ctx, shared),
    simulator: openSimulator(ctx, shared),
    channel: openChannelTransport(ctx),
  }
  return ({ receiverId }) => transports[transportOf(receiverId)]
}
