import type { Db } from '../../platform/database/db.ts'
import { openFindById } from '../channels/find-by-id.ts'
import { hasProvider, type OpenChannels, type ProviderChannel } from '../channels/open-channels.ts'

/** Finds the channel that a hook's path names; only what has a provider is called by one. */
export function openHookLookup(db: Db, channels: OpenChannels): (id: string) => Promise<ProviderChannel | undefined> {
  const find = openFindById(db, channels)
  return async (id) => {
    const channel = await find(id)
    return hasProvider(channel) ? channel : undefined
  }
}
