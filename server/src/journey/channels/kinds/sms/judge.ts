import type { Answer, OutboundError } from '../../../../platform/outbound/call.ts'
import { asNumber, asText } from '../common/fields.ts'
import type { Judgement } from '../kind.ts'
import { areUnknown, isNotThere, readAnswer, type TwilioAnswer } from './answer.ts'
import { detailOf, effectOf, full, ofSender, stoppedAtTwilio, unregistered } from './codes.ts'

/** How long the channel waits, where Twilio does not say. */
const retrySeconds = { tooMany: 5, full: 60 }
/** So that a wrong number cannot stop a channel for a day. */
const mostRetrySeconds = 3_600

/** By the number of the error. An unknown one is for good; what is no word of Twilio's is doubt, unless it refused. */
export function judge(outcome: Answer | OutboundError): Judgement {
  const answer = readAnswer(outcome)
  if (answer.is === 'ok') return judgeTaken(answer)
  if (answer.is === 'unknown') return judgeUnknown(answer)
  const { status, code, message, retryAfter = retrySeconds.tooMany } = answer
  const refused = { code: String(code), detail: message || detailOf(code, 'refused') }
  if (full.has(code)) return { is: 'later', seconds: retrySeconds.full, holds: 'channel' }
  if (status === 429 || code === 20_429) {
    return { is: 'later', seconds: Math.min(Math.max(1, retryAfter), mostRetrySeconds), holds: 'channel' }
  }
  if (unregistered.has(code)) return { is: 'broken', ...refused, reason: 'not registered' }
  if (areUnknown(answer) || isNotThere(answer) || ofSender.has(code)) return { is: 'broken', ...refused }
  if (code === stoppedAtTwilio) return { is: 'failed', ...refused, retries: false, effect: 'blocked' }
  return { is: 'failed', ...refused, retries: status >= 500 }
}

/** It may have been taken and have failed in the same answer. */
function judgeTaken({ result }: Extract<TwilioAnswer, { is: 'ok' }>): Judgement {
  const [sid, status] = [asText(result.sid), asText(result.status) ?? '']
  if (sid === undefined) return { is: 'in doubt', detail: 'Twilio said yes, without the message.' }
  if (!['failed', 'undelivered', 'canceled'].includes(status)) return { is: 'sent', providerId: sid }
  const code = asNumber(result.error_code) ?? 0
  const detail = asText(result.error_message) || detailOf(code, status)
  if (unregistered.has(code)) return { is: 'broken', code: String(code), detail, reason: 'not registered' }
  if (ofSender.has(code)) return { is: 'broken', code: String(code), detail }
  const effect = effectOf(code)
  return { is: 'failed', code: code === 0 ? status : String(code), detail, retries: false, ...(effect && { effect }) }
}

/** Whoever is in front of Twilio and answers 4xx has refused it; after that, nobody knows. */
function judgeUnknown({ status, detail, isBeforeRequest }: Extract<TwilioAnswer, { is: 'unknown' }>): Judgement {
  if (isBeforeRequest) return { is: 'failed', code: 'not reached', detail, retries: true }
  const isRefused = status !== undefined && status >= 400 && status < 500 && status !== 408
  return isRefused ? { is: 'failed', code: String(status), detail, retries: true } : { is: 'in doubt', detail }
}
