import { type Answer, OutboundError } from '../../../../platform/outbound/call.ts'
import { parseLeniently } from '../../../../platform/request-body/parse-json.ts'
import { asFields, asNumber, asText, type Fields, shorten } from '../common/fields.ts'
import type { Fault } from '../kind.ts'

/** What Twilio answered. `unknown`: nothing that it would say, so nobody knows whether it did what was asked. */
export type TwilioAnswer =
  | { is: 'ok'; result: Fields }
  | { is: 'refused'; status: number; code: number; message: string; retryAfter: number | undefined }
  | { is: 'unknown'; status: number | undefined; detail: string; isBeforeRequest: boolean }

const mostUnits = 300

export function readAnswer(outcome: Answer | OutboundError): TwilioAnswer {
  if (outcome instanceof OutboundError) {
    const { message: detail, isBeforeRequest } = outcome
    return { is: 'unknown', status: undefined, detail, isBeforeRequest }
  }
  const { status, headers } = outcome
  const said = asFields(parseLeniently(outcome.body))
  if (said && status >= 200 && status < 300) return { is: 'ok', result: said }
  const code = asNumber(said?.code)
  if (code !== undefined && status >= 400) {
    const seconds = Number(headers['retry-after'])
    const retryAfter = Number.isFinite(seconds) ? seconds : undefined
    return { is: 'refused', status, code, message: shorten(asText(said?.message) ?? '', mostUnits), retryAfter }
  }
  return { is: 'unknown', status, detail: `HTTP ${status} without an answer of Twilio.`, isBeforeRequest: false }
}

/** The credentials are not, or are no longer, those of the account. */
export function areUnknown({ status, code }: Extract<TwilioAnswer, { is: 'refused' }>): boolean {
  return status === 401 || code === 20_003
}

/** What was asked for is not there. */
export function isNotThere(answer: TwilioAnswer): boolean {
  return answer.is !== 'ok' && (answer.status === 404 || (answer.is === 'refused' && answer.code === 20_404))
}

type Words = {
  /** What is wrong where it is not there, or not for these credentials. */
  notThere?: string
  unknown?: string
  check?: Fault['check']
}

const credentialsAreWrong =
  'Twilio does not take these credentials. Copy account SID and auth token from the front page of its console.'

/** The fault of a call that is no message. */
export function faultOf(answer: Exclude<TwilioAnswer, { is: 'ok' }>, words: Words = {}): Fault {
  if (answer.is === 'unknown') {
    return { fault: 'Twilio did not answer. We ask again by ourselves.', quote: answer.detail, isTemporary: true }
  }
  const { status, code, message } = answer
  const quote = `${code} ${message}`.trim()
  if (areUnknown(answer)) return { fault: words.unknown ?? credentialsAreWrong, quote, isTemporary: false }
  if (isNotThere(answer) && words.notThere !== undefined) {
    return { fault: words.notThere, quote, isTemporary: false, ...(words.check && { check: words.check }) }
  }
  const isTemporary = status === 429 || code === 20_429 || status >= 500
  return { fault: 'Twilio refused the request.', quote, isTemporary }
}
