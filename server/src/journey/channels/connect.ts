import type { Channel, NewChannel } from '@patchbay/contract/app/channels.ts'
import { type By, noteAct } from '../../business/audit/store.ts'
import { openReceiver } from '../../outbox/receiver-store.ts'
import type { Tx } from '../../platform/database/db.ts'
import { type AccountId, newId } from '../../platform/ids.ts'
import { OutboundError } from '../../platform/outbound/call.ts'
import { Refusal } from '../../platform/refusal.ts'
import { checkChannel } from './check.ts'
import { newSecret, sealCredentials } from './credentials.ts'
import type { ChannelCtx } from './ctx.ts'
import type { Identity, Kind } from './kinds/kind.ts'
import { loadKind } from './load-kind.ts'
import { showChannel } from './show.ts'
import { type ChannelRef, claimSender, countChannels, lockBySender, upsertChannel } from './store.ts'

const mostChannels = 50

/**
 * Connects a sender. Its credentials are tried first, because only who has them may connect it and learn whether somebody
 * else has. Row and directory are committed before the provider is told of us: it may call while that request is still open.
 */
export async function connectChannel(
  ctx: ChannelCtx,
  accountId: AccountId,
  { given, by }: { given: NewChannel; by: By },
): Promise<Channel> {
  const kind = await loadKind(given.kind)
  const secrets = kind.connect.readCredentials(given.credentials, newSecret)
  const identity = await identify(ctx, kind, secrets)
  const ref = await ctx.db.transaction().execute(async (tx) => {
    const ref = await takeSender(tx, { accountId, kind: given.kind, ...identity })
    const credentials = sealCredentials(ctx.secretKey, ref, { secrets })
    const { providerKey, address, settings } = identity
    const name = given.name ?? identity.name
    await upsertChannel(tx, { ...ref, kind: given.kind, providerKey, name, address, settings, credentials })
    await openReceiver(tx, { accountId, receiverId: ref.id }, kind.origins.api ?? '')
    await noteAct(tx, accountId, { act: 'channel connected', ...by, details: { name, address, kind: given.kind } })
    return ref
  })
  await checkChannel(ctx, ref)
  ctx.hint(accountId, 'channels')
  return showChannel(ctx, ref)
}

/** Who the credentials are of. Refuses, in the provider's words, what is of nobody. */
export async function identify({ call }: ChannelCtx, kind: Kind, secrets: unknown): Promise<Identity<unknown>> {
  const outcome = await call({ kind, channelId: undefined }, kind.connect.identify(secrets))
  const identity = kind.connect.readIdentity(outcome)
  if (!('fault' in identity)) return identity
  const words = identity.quote === null ? '' : ` (${identity.quote})`
  const cause = outcome instanceof OutboundError ? { cause: outcome } : undefined
  throw new Refusal('INVALID_REQUEST', `${identity.fault}${words}`, cause)
}

type Sender = { accountId: AccountId; kind: NewChannel['kind']; providerKey: string; address: string }

/** The id of the channel: the one that it had when this account had it before, so that its people and copies are known. */
async function takeSender(tx: Tx, { address, ...sender }: Sender): Promise<ChannelRef> {
  const { accountId } = sender
  const taken = await countChannels(tx, accountId) // nobody else connects one meanwhile
  const before = await lockBySender(tx, sender)
  if (before && before.state !== 'removed') {
    throw new Refusal('CONFLICT', `${address} is connected already, as ${before.name}.`)
  }
  if (taken >= mostChannels) throw new Refusal('CONFLICT', `An account has at most ${mostChannels} channels.`)
  const ref = { accountId, id: before?.id ?? newId('chn') }
  if (await claimSender(tx, { ...ref, ...sender })) return ref
  throw new Refusal('CONFLICT', `${address} is connected on this installation already, by another account.`)
}
