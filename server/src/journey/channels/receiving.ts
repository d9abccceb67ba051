import { calledKinds, type ProviderKindName } from '@patchbay/contract/channels.ts'
import type { ChannelCtx } from './ctx.ts'
import type { ProviderKind } from './kinds/kind.ts'
import type { ChannelRow } from './store.ts'

/** How a channel receives: the provider calls `url`, or we fetch. Undefined: it should be called, and we have no address for that. */
export type Receiving = { by: 'hook'; url: string } | { by: 'poll' } | undefined

type Addresses = Pick<ChannelCtx, 'publicUrl' | 'origins'>

/** The address of the channel's hook, where its provider can call it. */
export function hookUrlOf(
  { name, hook }: Pick<ProviderKind, 'name' | 'hook'>,
  { id }: Pick<ChannelRow, 'id'>,
  addresses: Addresses,
): string | undefined {
  const publicUrl = hook ? callableUrl({ name, ports: hook.ports }, addresses) : undefined
  return publicUrl && `${publicUrl}/hooks/${name}/${id}`
}

/** Whether something of such a channel could come to us at all. */
export function isReachable(
  { name, hook, poll }: Pick<ProviderKind, 'name' | 'hook' | 'poll'>,
  at: Addresses,
): boolean {
  return !hook || poll !== null || callableUrl({ name, ports: hook.ports }, at) !== undefined
}

/** Kinds that cannot be connected here. */
export function unreachableKinds(addresses: Addresses): ProviderKindName[] {
  return calledKinds.filter((name) => callableUrl({ name, ports: null }, addresses) === undefined)
}

/** Our address, if such a provider calls it. */
function callableUrl(
  { name, ports }: { name: string; ports: readonly number[] | null },
  { publicUrl, origins }: Addresses,
): string | undefined {
  if (publicUrl === undefined) return undefined
  const { protocol, port, hostname } = new URL(publicUrl)
  // A provider that the operator runs, or a peer of a test, may be where we are.
  const isReplaced = [...origins.keys()].some((origin) => origin.startsWith(`${name}.`))
  const isCalled = protocol === 'https:' && (ports?.includes(Number(port || 443)) ?? true) && isPublicName(hostname)
  return isCalled || isReplaced ? publicUrl : undefined
}

/** Without a public address we fetch, if the kind can. */
export function receivingOf(
  kind: Pick<ProviderKind, 'name' | 'hook' | 'poll'>,
  row: Pick<ChannelRow, 'id' | 'receivesBy'>,
  addresses: Addresses,
): Receiving {
  const url = hookUrlOf(kind, row, addresses)
  if (row.receivesBy !== 'poll' && url !== undefined) return { by: 'hook', url }
  return kind.poll && row.receivesBy !== 'hook' ? { by: 'poll' } : undefined
}

/** Whether the name may be one that others can look up; that it leads to us is shown by the first call. */
function isPublicName(name: string): boolean {
  if (/^[\d.]+$|^\[/.test(name)) return false
  return name.includes('.') && !/(^|\.)(localhost|local|internal|home\.arpa)$/.test(name)
}
