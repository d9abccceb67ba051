import type { ChannelKind } from '@patchbay/contract/channels.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { loadKind } from './load-kind.ts'
import { listChannels } from './store.ts'

/** Whether people with a phone number can be written to by such a channel before they wrote there. */
export async function writesFirst(name: ChannelKind): Promise<boolean> {
  const kind = await loadKind(name)
  return kind.leaves === 'by a request' && kind.writesFirstTo === 'phone numbers'
}

/** Whether an account has a channel by which it may write first to phone numbers. */
export async function hasOneThatWritesFirst(db: Db, accountId: AccountId): Promise<boolean> {
  const kinds = new Set((await listChannels(db, accountId)).map(({ kind }) => kind))
  return (await Promise.all([...kinds].map(writesFirst))).includes(true)
}
