import type { ChannelOrigins } from '../../platform/config/channel-origins.ts'
import type { ChannelId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { type Answer, OutboundError } from '../../platform/outbound/call.ts'
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
 * client, which follows no redirect. Neither its address nor its body is logged, because secrets are in them.
 */
export function openCallProvider({ outbound, origins, log }: CallCtx): CallProvider {
  return async ({ kind, channelId }, call, signal) => {
    const { origin, path, method, headers, body, operation, attemptMs } = call
    const base = origins.get(`${kind.name}.${origin}`) ?? kind.origins[origin]
    if (base === undefined) throw new Error(`${kind.name} has no origin ${origin}`)
    if (!path.startsWith('/')) throw new Error(`the path of ${operation} has no slash at its beginning`)
    const began = performance.now()
    const size = { mostBytes: call.mostBytes ?? mostBytes, whenLarger: 'refuse' as const }
    const request = { method, url: base + path, hasSecretUrl: true, headers, body, attemptMs, signal, ...size }
    const outcome = await outbound.request(request).catch(returnOutboundError)
    const status = outcome instanceof OutboundError ? outcome.category : outcome.status
    const ms = Math.round(performance.now() - began)
    log.debug({ channelId, kind: kind.name, operation, status, ms }, 'called a provider')
    return outcome instanceof OutboundError ? outcome : withoutSecret(outcome, call.secret)
  }
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
