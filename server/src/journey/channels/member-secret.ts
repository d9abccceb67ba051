import type { Channel } from '@patchbay/contract/app/channels.ts'
import { type By, noteAct } from '../../business/audit/store.ts'
import type { AccountId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { type Credentials, replaceMemberSecret, sealCredentials, unsealCredentials } from './credentials.ts'
import type { ChannelCtx } from './ctx.ts'
import { loadKind } from './load-kind.ts'
import { refuseUnknown, requireChannel, showChannel } from './show.ts'
import { type ChannelRow, lockChannel, updateChannel } from './store.ts'

/**
 * Makes the secret by which the owner's server signs who its customers are. It is shown once. The one before counts for a day more,
 * so that their server can change to the new one while people write.
 */
export async function makeMemberSecret(
  ctx: ChannelCtx,
  accountId: AccountId,
  { id, by }: { id: string; by: By },
): Promise<{ secret: string; channel: Channel }> {
  const known = await requireChannel(ctx.db, accountId, id)
  if ((await loadKind(known.kind)).leaves !== 'when stored') {
    throw new Refusal('CONFLICT', 'The people of this channel are known by its provider; there is nothing to sign.')
  }
  const secret = await ctx.db.transaction().execute(async (tx) => {
    const before = (await lockChannel(tx, known)) ?? refuseUnknown(id)
    if (before.state === 'removed') refuseUnknown(id)
    const replaced = tryUnseal(ctx, before)
    const made = replaceMemberSecret(replaced)
    const credentials = sealCredentials(ctx.secretKey, before, { secrets: made, replaced: replaced?.now })
    await updateChannel(tx, before, { credentials })
    const { name, address, kind } = before
    await noteAct(tx, accountId, { act: 'channel changed', ...by, details: { name, address, kind, secret: 'new' } })
    return made.secret
  })
  ctx.hint(accountId, 'channels')
  return { secret, channel: await showChannel(ctx, known) }
}

/** What was sealed with another SECRET_KEY nobody can check any more, so that nothing of it is kept. */
function tryUnseal({ secretKey }: ChannelCtx, row: ChannelRow): Credentials | undefined {
  try {
    return unsealCredentials(secretKey, row)
  } catch {
    return undefined
  }
}
