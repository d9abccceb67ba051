import type { ChannelOrigins } from '../../platform/config/channel-origins.ts'
import type { ChannelId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { type Answer, type Call, OutboundError } from '../../platform/outbound/call.ts'
import type { Outbound } from '../../platform/outbound/client.ts'
import type { Calls, ProviderCall, ProviderKind } from './kinds/kind.ts'

/** Of an answer in words. */
const mostBytes = 256 * 1024

/** On whose behalf; a channel that is not connected yet has no id. */
type Caller = { kind: Pick<ProviderKind, 'name' | 'origins'>; channelId: ChannelId | undefined }

/** Makes one request to a provider. What went wrong on the way is returned, because it is judged like an answer. */
export type CallProvider = (caller: Caller, call: ProviderCall, signal?: AbortSignal) => Promise<Answer | OutboundError>

/**
 * Opens the only way to a provider. A call goes to an origin of its kind, or to what the operator set instead, by the guarded
 * client, which follows no redirect by itself. Neither its address nor its body is logged, because secrets are in them.
 */
export function openCallProvider({ outbound, origins, log }: CallCtx): CallProvider {
  return async ({ kind, channelId }, call, signal) => {
    const { method, operation, attemptMs } = call
    const target = call.ledTo === undefined ? targetOf(origins, kind, call) : whereItLeads(origins, kind, call.ledTo)
    if (target instanceof OutboundError) return target
    const began = performance.now()
    const size = { mostBytes: call.mostBytes ?? mostBytes, whenLarger: 'refuse' as const }
    const request = { method, ...target, hasSecretUrl: true, attemptMs, signal, ...size }
    const outcome = await outbound.request(request).catch(returnOutboundError)
    const status = outcome instanceof OutboundError ? outcome.category : outcome.status
    const ms = Math.round(performance.now() - began)
    log.debug({ channelId, kind: kind.name, operation, status, ms }, 'called a provider')
    return outcome instanceof OutboundError ? outcome : withoutSecret(outcome, call.secret)
  }
}

type Target = Pick<Call, 'url' | 'headers' | 'body'>

function targetOf(origins: ChannelOrigins, kind: Caller['kind'], call: ProviderCall): Target {
  const { origin, path, headers, body, operation } = call
  const base = origins.get(`${kind.name}.${origin}`) ?? kind.origins[origin]
  if (base === undefined) throw new Error(`${kind.name} has no origin ${origin}`)
  if (!path.startsWith('/')) throw new Error(`the path of ${operation} has no slash at its beginning`)
  return { url: base + path, headers, body }
}

/** A file may lie with others, whose names no provider tells in advance: nothing goes there but the question for it. */
function whereItLeads(origins: ChannelOrigins, { name }: Caller['kind'], url: string): Target | OutboundError {
  const isReplaced = [...origins].some(([key, base]) => key.startsWith(`${name}.`) && url.startsWith(`${base}/`))
  if (isReplaced || URL.parse(url)?.protocol === 'https:') return { url, headers: {} }
  return new OutboundError('blocked_address', 'The provider leads to an address that is not called.')
}

/** Makes calls one after another, as each answer says. */
export async function makeCalls<Result>(
  call: CallProvider,
  caller: Caller,
  calls: Calls<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  let step = calls.next()
  while (!step.done) step = calls.next(await call(caller, step.value, signal))
  return step.value
}

/** What an answer says is stored and shown: a server in front of the provider may quote the address that was called. */
function withoutSecret(answer: Answer, secret: string | undefined): Answer {
  if (secret === undefined || !answer.body.includes(secret)) return answer
  return { ...answer, body: Buffer.from(answer.body.toString('utf8').replaceAll(secret, '…')) }
}

type CallCtx = Readonly<{ outbound: Outbound; origins: ChannelOrigins; log: Log }>

function returnOutboundError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error
  throw error
}
