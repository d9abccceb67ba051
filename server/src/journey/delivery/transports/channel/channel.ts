import { loadOnce } from '../../../../platform/load-once.ts'
import type { Transport } from '../transport.ts'
import type { ChannelTransportCtx } from './ctx.ts'

/** Providers often take more than a second. */
const pace = { slowAfterMs: 5_000 }

/**
 * The transport of built-in channels. What it needs is loaded with the first message of a channel, so that an installation
 * without channels pays nothing for them.
 */
export function openChannelTransport(ctx: ChannelTransportCtx): Transport {
  const load = loadOnce(async () => (await import('./send-over-channel.ts')).openSendOverChannel(ctx))
  return {
    ...pace,
    inFlight: ctx.inFlightPerChannel,
    attempt: async (event) => (await load()).attempt(event),
    settle: async (event, attempt, settlementOf) => (await load()).settle(event, attempt, settlementOf),
  }
}
