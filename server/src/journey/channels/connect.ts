import type { Channel, ChannelSenders, NewChannel } from '@patchbay/contract/app/channels.ts'
import type { ProviderKindName } from '@patchbay/contract/channels.ts'
import { type By, noteAct } from '../../business/audit/store.ts'
import { openReceiver } from '../../outbox/receiver-store.ts'
import type { Tx } from '../../platform/database/db.ts'
import { type AccountId, type ChannelId, newId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { makeCalls } from './call.ts'
import { checkChannel } from './check.ts'
import { newSecret, sealCredentials } from './credentials.ts'
import type { ChannelCtx } from './ctx.ts'
import type { Identity, ProviderKind } from './kinds/kind.ts'
import { loadKind } from './load-kind.ts'
import { checkCampaign, readOwnSettings, refuseCredentials, refuseSettings, requireRemoved } from './own-channel.ts'
import { isReachable } from './receiving.ts'
import { showChannel } from './show.ts'
import { type ChannelRef, claimSender, countChannels, lockBySender, upsertChannel } from './store.ts'

const mostChannels = 50

/**
 * Connects a sender, or makes a channel of our own. The credentials of a sender are tried first, because only who has them may connect it and learn whether somebody
 * else has. Row and directory are committed before the provider is told of us: it may call while that request is still open.
 */
export async function connectChannel(
  ctx: ChannelCtx,
  accountId: AccountId,
  { given, by }: { given: NewChannel; by: By },
): Promise<Channel> {
  const made = await makeSender(ctx, accountId, given)
  await checkCampaign(ctx.db, accountId, given)
  const ref = await ctx.db.transaction().execute(async (tx) => {
    const ref = await takeSender(tx, { accountId, kind: given.kind, ...made })
    const { providerKey, address, settings, secrets, url } = made
    const credentials = secrets === undefined ? null : sealCredentials(ctx.secretKey, ref, { secrets })
    const name = given.name ?? made.name
    await upsertChannel(tx, { ...ref, kind: given.kind, providerKey, name, address, settings, credentials })
    await openReceiver(tx, { accountId, receiverId: ref.id }, url)
    await noteAct(tx, accountId, { act: 'channel connected', ...by, details: { name, address, kind: given.kind } })
    return ref
  })
  await checkChannel(ctx, ref, { takesOver: given.takesOver ?? false, by })
  ctx.hint(accountId, 'channels')
  return showChannel(ctx, ref)
}

/** `id`: of a new channel. `secrets`: undefined where it has none. `url`: where its messages go, for people. */
type NewSender = Identity<unknown> & { id: ChannelId; secrets: unknown; url: string }

async function makeSender(ctx: ChannelCtx, accountId: AccountId, given: NewChannel): Promise<NewSender> {
  const kind = await loadKind(given.kind)
  if (kind.leaves === 'when stored') {
    refuseCredentials(given)
    const before = given.again === undefined ? undefined : await requireRemoved(ctx.db, accountId, given)
    const id = before?.id ?? newId('chn')
    const settings = readOwnSettings(kind, given.settings ?? {}, before?.settings)
    const described = { ...kind.describe(settings), ...(before && { name: before.name }) }
    return { id, ...{ providerKey: id, settings, secrets: undefined, url: ctx.ownUrl }, ...described }
  }
  refuseSettings(given)
  const id = newId('chn')
  if (!isReachable(kind, ctx)) refuseUnreachable()
  const secrets = kind.connect.readCredentials(given.credentials ?? {}, newSecret)
  return { id, ...(await identify(ctx, kind, secrets)), secrets, url: kind.origins.api ?? '' }
}

function refuseUnreachable(): never {
  throw new Refusal(
    'INVALID_REQUEST',
    'Its provider has to be able to call this server, which has no public address: the operator sets PUBLIC_URL to one with https.',
  )
}

/** What credentials could be connected with. Nothing of it is kept. */
export async function listSenders(
  { call }: Pick<ChannelCtx, 'call'>,
  given: { kind: ProviderKindName; credentials: Record<string, string> },
): Promise<ChannelSenders> {
  const kind = await loadKind(given.kind)
  const senders = kind.leaves === 'by a request' ? kind.connect.senders : null
  if (kind.leaves !== 'by a request' || !senders) {
    throw new Refusal('INVALID_REQUEST', `kind: credentials of ${given.kind} are of one sender; connect it.`)
  }
  const found = await makeCalls(call, { kind, channelId: undefined }, senders.list(given.credentials))
  if ('fault' in found) throw new Refusal('INVALID_REQUEST', found.fault, { quote: found.quote ?? undefined })
  return found
}

/** Who the credentials are of. Refuses, in the provider's words, what is of nobody. */
export async function identify({ call }: ChannelCtx, kind: ProviderKind, secrets: unknown): Promise<Identity<unknown>> {
  const identity = await makeCalls(call, { kind, channelId: undefined }, kind.connect.identify(secrets))
  if (!('fault' in identity)) return identity
  throw new Refusal('INVALID_REQUEST', identity.fault, { quote: identity.quote ?? undefined })
}

type Sender = Pick<NewSender, 'id' | 'providerKey' | 'address'> & { accountId: AccountId; kind: NewChannel['kind'] }

/** The id of the channel: the one that it had when this account had it before, so that its people and copies are known. */
async function takeSender(tx: Tx, { id, address, ...sender }: Sender): Promise<ChannelRef> {
  const { accountId } = sender
  const taken = await countChannels(tx, accountId) // nobody else connects one meanwhile
  const before = await lockBySender(tx, sender)
  if (before && before.state !== 'removed') {
    throw new Refusal('CONFLICT', `${address} is connected already, as ${before.name}.`)
  }
  if (taken >= mostChannels) throw new Refusal('CONFLICT', `An account has at most ${mostChannels} channels.`)
  const ref = { accountId, id: before?.id ?? id }
  if (await claimSender(tx, { ...ref, ...sender })) return ref
  throw new Refusal('CONFLICT', `${address} is connected on this installation already, by another account.`)
}
