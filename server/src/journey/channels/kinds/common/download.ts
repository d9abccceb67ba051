import { type Answer, OutboundError } from '../../../../platform/outbound/call.ts'
import type { FileFault } from '../kind.ts'

/** The bytes of a file, if the answer has them. */
export function readDownload(outcome: Answer | OutboundError): Buffer | FileFault {
  if (outcome instanceof OutboundError) return { state: outcome.category === 'too_large' ? 'too large' : 'unreachable' }
  return outcome.status === 200 && outcome.body.length > 0 ? outcome.body : { state: 'unreachable' }
}
