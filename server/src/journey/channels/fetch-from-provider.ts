import { isChannelId } from '../../outbox/receivers.ts'
import type { ChannelOrigins } from '../../platform/config/channel-origins.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound/client.ts'
import { makeCalls, openCallProvider } from './call.ts'
import type { FileReference } from './kinds/kind.ts'
import { hasProvider, openChannels } from './open-channels.ts'

type Asked = {
  accountId: AccountId
  channel: string | null
  reference: Record<string, unknown> | null
  contentType: string
}

/** `gone`: nobody will find it any more. */
type Found = { bytes: Buffer } | { state: 'unreachable' | 'gone' | 'too large' }

/** Fetches a file that came over a channel, by the reference that the message keeps. */
export type FetchOverChannel = (asked: Asked) => Promise<Found>

export type FetchFileCtx = Readonly<{
  db: Db
  secretKey: Buffer
  outbound: Outbound
  origins: ChannelOrigins
  log: Log
}>

/**
 * Where a file lies is asked right before it is fetched, because the provider's address of it lives for minutes, and has a secret
 * in it. Nothing follows a redirect.
 */
export function openFetchFromProvider(ctx: FetchFileCtx): FetchOverChannel {
  const call = openCallProvider(ctx)
  const channels = openChannels(ctx)
  return async ({ accountId, channel: id, reference, contentType }) => {
    const channel = id !== null && isChannelId(id) ? await channels.find({ accountId, id }) : undefined
    if (!hasProvider(channel) || !channel.credentials || typeof reference?.id !== 'string') return { state: 'gone' }
    const { kind, row, credentials } = channel
    const file: FileReference = { id: reference.id, contentType, fileName: null, sizeBytes: null }
    const calls = kind.files.download(file, row.settings, credentials.now)
    const fetched = await makeCalls(call, { kind, channelId: row.id }, calls)
    return Buffer.isBuffer(fetched) ? { bytes: fetched } : fetched
  }
}
