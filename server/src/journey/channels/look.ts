import type { ChannelCheck } from '@patchbay/contract/app/channels.ts'
import type { AttentionReason } from '@patchbay/contract/channels.ts'
import { makeCalls } from './call.ts'
import type { ChannelCtx } from './ctx.ts'
import type { Fault, HookState, ProviderKind } from './kinds/kind.ts'
import { hookUrlOf, receivingOf } from './receiving.ts'
import type { ChannelRow } from './store.ts'

/** What a look at a channel has found, and done where that is ours to do. */
export type Look = {
  checks: ChannelCheck[]
  /** What keeps it from working; null: nothing that is certain. */
  reason: AttentionReason | null
  /** A required check could not be made, because the provider was not reached: nothing changes. */
  isUnknown: boolean
  /** The address that we have set at the provider. */
  hookUrl: string | null
  /** Whether we are to fetch. */
  polls: boolean
  /** Where what another tool had set was, and was replaced. */
  tookFrom?: string
}

type LookCtx = Pick<ChannelCtx, 'call' | 'publicUrl' | 'origins'> & {
  /** Keeps what another tool has set there, before it is replaced: who dies in between must not lose it. */
  keepBefore: (found: unknown) => Promise<void>
}
type Looked = { row: ChannelRow; kind: ProviderKind; secrets: unknown; takesOver?: boolean }

/**
 * Asks the provider whether the credentials are right and whether what comes reaches us. An address that we have set and that
 * is gone or old is set anew; what another tool has set is replaced only where somebody said so.
 */
export async function lookAt(ctx: LookCtx, looked: Looked): Promise<Look> {
  const { row, kind, secrets } = looked
  const identity = await makeCalls(ctx.call, callerOf(looked), kind.connect.identify(secrets))
  const first = firstMessage(row)
  const nothing = { hookUrl: row.hookUrl, polls: false }
  if ('fault' in identity) {
    const credentials = failing(identity.check ?? 'credentials', identity)
    const waits = {
      name: 'receiving' as const,
      state: 'waits' as const,
      sentence: 'Needs the credentials.',
      quote: null,
    }
    const reason = identity.isTemporary ? null : 'credentials'
    return { ...nothing, checks: [credentials, waits, first], reason, isUnknown: identity.isTemporary }
  }
  if (identity.providerKey !== row.providerKey) {
    const fault = `These credentials are of ${identity.address}, and this channel is ${row.address}.`
    const checks = [failing('credentials', { fault, quote: null }), first]
    return { ...nothing, checks, reason: 'credentials', isUnknown: false }
  }
  const credentials = done('credentials', `${identity.address} answers.`)
  const receiving = await lookAtReceiving(ctx, looked)
  return { ...receiving, checks: [credentials, ...(identity.remarks ?? []), receiving.check, first] }
}

type Receives = Omit<Look, 'checks'> & { check: ChannelCheck }

const callerOf = ({ row, kind }: Looked) => ({ kind, channelId: row.id })

async function lookAtReceiving(ctx: LookCtx, looked: Looked): Promise<Receives> {
  const { row, kind, secrets, takesOver } = looked
  const { hook } = kind
  const receiving = receivingOf(kind, row, ctx)
  const found = { reason: null, isUnknown: false, hookUrl: row.hookUrl, polls: false }
  if (!receiving) {
    const fault = 'It is to be called by its provider, and PUBLIC_URL is not an address that its provider calls.'
    return { ...found, check: failing('receiving', { fault, quote: null }), reason: 'no address' }
  }
  if (!hook) return { ...found, check: done('receiving', 'We fetch.'), polls: true }
  const state = await makeCalls(ctx.call, callerOf(looked), hook.look(row.settings, secrets))
  if ('fault' in state)
    return { ...found, check: failing('receiving', state), isUnknown: true, polls: row.hookUrl === null }
  const isOurs = state.url === null || state.url === row.hookUrl || state.url === hookUrlOf(kind, row, ctx)
  if (!isOurs && !takesOver) {
    const reportsTo = hostOf(state.url)
    const fault = `It reports to another tool, at ${reportsTo}. Take over, and it reports to us alone.`
    return { ...found, check: { ...failing('receiving', { fault, quote: null }), reportsTo }, reason: 'other reader' }
  }
  const isByHook = receiving.by === 'hook'
  if (!isOurs && state.found !== null) await ctx.keepBefore(state.found)
  const set = await (isByHook ? setHook(ctx, looked, { url: receiving.url, state }) : removeHook(ctx, looked, state))
  const isTaken = !isOurs && set.check.state === 'done'
  return { ...found, ...(isTaken && { tookFrom: hostOf(state.url) }), ...set }
}

type Set = { url: string; state: HookState }

/** Set anew where it is not there. An error that the provider tells of is shown, and is no reason to stop. */
async function setHook(
  ctx: LookCtx,
  looked: Looked,
  { url, state }: Set,
): Promise<Partial<Receives> & Pick<Receives, 'check'>> {
  const { row, kind, secrets } = looked
  const { hook } = kind
  const isSet = state.url === url && !state.isAltered && row.hookUrl === url && row.hookVersion === row.version
  if (hook && !isSet) {
    const fault = await makeCalls(ctx.call, callerOf(looked), hook.set(url, row.settings, secrets))
    if (fault)
      return {
        check: failing('receiving', fault),
        reason: fault.isTemporary ? null : 'cannot be reached',
        isUnknown: fault.isTemporary,
      }
    return { check: done('receiving', `It calls ${hostOf(url)}.`), hookUrl: url }
  }
  const { lastError, waiting } = state
  if (lastError && waiting > 0) {
    const fault = { fault: `It cannot reach ${hostOf(url)}; ${waiting} messages wait there.`, quote: lastError.words }
    return { check: failing('receiving', fault), hookUrl: url, reason: 'cannot be reached' }
  }
  return { check: done('receiving', `It calls ${hostOf(url)}.`), hookUrl: url }
}

async function removeHook(
  ctx: LookCtx,
  looked: Looked,
  { url }: HookState,
): Promise<Partial<Receives> & Pick<Receives, 'check'>> {
  const { row, secrets } = looked
  const { hook } = looked.kind
  const check = done('receiving', 'We fetch what comes; no public address is needed.')
  if (url === null || !hook) return { check, hookUrl: null, polls: true }
  const fault = await makeCalls(
    ctx.call,
    callerOf(looked),
    hook.remove({ url, before: row.hookBefore }, row.settings, secrets),
  )
  if (fault) return { check: failing('receiving', fault), isUnknown: true }
  return { check, hookUrl: null, polls: true }
}

function firstMessage({ lastEventAt, address }: ChannelRow): ChannelCheck {
  if (lastEventAt) return done('first message', 'Somebody has written.')
  return { name: 'first message', state: 'waits', sentence: `Write to ${address} from a phone.`, quote: null }
}

function done(name: ChannelCheck['name'], sentence: string): ChannelCheck {
  return { name, state: 'done', sentence, quote: null }
}

function failing(name: ChannelCheck['name'], { fault, quote }: Pick<Fault, 'fault' | 'quote'>): ChannelCheck {
  return { name, state: 'failing', sentence: fault, quote }
}

function hostOf(url: string | null): string {
  return (url !== null && (URL.parse(url)?.host || url)) || 'an unknown address'
}
