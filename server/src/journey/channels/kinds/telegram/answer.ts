import { type Answer, OutboundError } from '../../../../platform/outbound/call.ts'
import { asFields, asNumber, asText, shorten } from '../common/fields.ts'
import type { Fault } from '../kind.ts'

/** What the Bot API answered. `unknown`: nothing that it would say, so nobody knows whether it did what was asked. */
export type BotAnswer =
  | { is: 'ok'; result: unknown }
  | { is: 'refused'; code: number; description: string; retryAfter: number | undefined }
  | { is: 'unknown'; detail: string; isBeforeRequest: boolean }

const mostUnits = 300

export function readAnswer(outcome: Answer | OutboundError): BotAnswer {
  if (outcome instanceof OutboundError) {
    return { is: 'unknown', detail: outcome.message, isBeforeRequest: outcome.isBeforeRequest }
  }
  const said = asFields(parse(outcome.body))
  if (said?.ok === true) return { is: 'ok', result: said.result }
  const [code, description] = [asNumber(said?.error_code), asText(said?.description)]
  if (said?.ok === false && code !== undefined && description !== undefined) {
    const retryAfter = asNumber(asFields(said.parameters)?.retry_after)
    return { is: 'refused', code, description: shorten(description, mostUnits), retryAfter }
  }
  return { is: 'unknown', detail: `HTTP ${outcome.status} without an answer of Telegram.`, isBeforeRequest: false }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

/** Whether the answer says that the token is no longer, or never was, one of a bot. */
export function isTokenUnknown(answer: BotAnswer): boolean {
  return answer.is === 'refused' && (answer.code === 401 || answer.code === 404)
}

/** The fault of a call that is no message. */
export function faultOf(answer: Exclude<BotAnswer, { is: 'ok' }>): Fault {
  if (answer.is === 'unknown') {
    return { fault: 'Telegram did not answer. We ask again by ourselves.', quote: answer.detail, isTemporary: true }
  }
  const quote = `${answer.code} ${answer.description}`
  if (!isTokenUnknown(answer)) {
    const isTemporary = answer.code === 429 || answer.code >= 500
    return { fault: 'Telegram refused the request.', quote, isTemporary }
  }
  const fault = 'Telegram does not know this token. Ask @BotFather for it with /token, and enter it again.'
  return { fault, quote, isTemporary: false }
}
