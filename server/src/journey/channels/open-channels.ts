import { BoundedMap } from '../../platform/collections.ts'
import type { Db } from '../../platform/database/db.ts'
import type { Log } from '../../platform/log.ts'
import { type Credentials, unsealCredentials } from './credentials.ts'
import type { Kind, ProviderKind } from './kinds/kind.ts'
import { loadKind } from './load-kind.ts'
import { type ChannelRef, type ChannelRow, findChannel } from './store.ts'

/** A channel with what is needed to call its provider. Without credentials: removed, none saved, or SECRET_KEY is another one. */
export type OpenChannel = { row: ChannelRow; kind: Kind; credentials: Credentials | undefined }

/** One that is there by a provider. */
export type ProviderChannel = OpenChannel & { kind: ProviderKind }

export function hasProvider(channel: OpenChannel | undefined): channel is ProviderChannel {
  return channel?.kind.leaves === 'by a request'
}

export type OpenChannels = {
  /** As it was half a second ago at most. Undefined: the account has no such channel. */
  find: (ref: ChannelRef) => Promise<OpenChannel | undefined>
  /** The next one who asks is told what is true then. */
  forget: (ref: ChannelRef) => void
}

const validMs = 500
/** Unsealing takes longer than reading the row, and who has thousands of channels uses all of them. */
const mostCached = 10_000

type Cached = { until: number; found: Promise<OpenChannel | undefined> }

export function openChannels({ db, secretKey, log }: { db: Db; secretKey: Buffer; log: Log }): OpenChannels {
  const cached = new BoundedMap<string, Cached>(mostCached)
  const unsealed = new BoundedMap<string, { version: number; credentials: Credentials | undefined }>(mostCached)

  function unseal(row: ChannelRow): Credentials | undefined {
    const known = unsealed.get(row.id)
    if (known?.version === row.version) return known.credentials
    let credentials: Credentials | undefined
    try {
      credentials = unsealCredentials(secretKey, row)
    } catch (err) {
      log.error({ err, channelId: row.id }, 'the credentials of a channel cannot be read')
    }
    unsealed.set(row.id, { version: row.version, credentials })
    return credentials
  }

  async function read(ref: ChannelRef): Promise<OpenChannel | undefined> {
    const row = await findChannel(db, ref)
    return row && { row, kind: await loadKind(row.kind), credentials: unseal(row) }
  }

  const nameOf = ({ accountId, id }: ChannelRef) => `${accountId} ${id}`
  return {
    find: (ref) => {
      const name = nameOf(ref)
      const known = cached.get(name)
      if (known && known.until > performance.now()) return known.found
      const found = read(ref)
      cached.set(name, { until: performance.now() + validMs, found })
      found.catch(() => cached.delete(name))
      return found
    },
    forget: (ref) => cached.delete(nameOf(ref)),
  }
}
