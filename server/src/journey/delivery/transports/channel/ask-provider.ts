import type { LeasedEvent } from '../../../../outbox/enqueue-events.ts'
import { type CallProvider, makeCalls } from '../../../channels/call.ts'
import type { PartToSend } from '../../../channels/kinds/kind.ts'
import type { ProviderChannel } from '../../../channels/open-channels.ts'
import type { Attempt } from '../transport.ts'
import type { DoubtfulPart } from './begin-store.ts'
import type { Asked } from './settle-asked.ts'

/** All its calls together; what is not known by then is not known. The lease outlasts it. */
const askMs = 12_000
/** An answer is not waited for less: it would say that the provider is silent. */
const leastMs = 1

/** Asks a provider what became of a part in doubt. That it does not say is an answer too. */
export async function askProvider(
  call: CallProvider,
  { row, kind, credentials }: ProviderChannel,
  { event, part }: { event: LeasedEvent; part: DoubtfulPart },
): Promise<{ asked: Asked; made: NonNullable<Attempt['made']> }> {
  if (!kind.ask) throw new Error(`a channel of the kind ${kind.name} cannot be asked`)
  const startedAt = performance.now()
  let operation = ''
  const callInTime: CallProvider = (caller, one, signal) => {
    operation = one.operation
    const leftMs = Math.max(leastMs, startedAt + askMs - performance.now())
    return call(caller, { ...one, attemptMs: Math.min(one.attemptMs ?? leftMs, leftMs) }, signal)
  }
  const found = await makeCalls(
    callInTime,
    { kind, channelId: row.id },
    kind.ask.find({ ...toAsk(event, part), begunAt: part.begunAt }, row.settings, credentials?.now),
  )
  const made = { url: kind.origins.api ?? '', durationMs: Math.round(performance.now() - startedAt) }
  return { asked: { part, found, called: `${new URL(made.url).host} ${operation}`, tells: kind.receipts }, made }
}

function toAsk(event: LeasedEvent, { n, part, address, secondsLeft }: DoubtfulPart): PartToSend {
  return { messageId: event.id, n, part, address, secondsLeft, file: null, fileUrl: null, hookUrl: null }
}
