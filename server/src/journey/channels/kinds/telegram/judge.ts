import type { Answer, OutboundError } from '../../../../platform/outbound/call.ts'
import { asFields, asId } from '../common/fields.ts'
import type { Judgement, PartToSend } from '../kind.ts'
import { isTokenUnknown, readAnswer } from './answer.ts'

/** What is said of a person whom the bot cannot write to: blocked, deleted, or never written to it. */
const isNobodyThere = /chat not found|peer_id_invalid|user is deactivated/i

/** Telegram does not say for how long. */
const retrySeconds = 5
/** So that a wrong number cannot stop a channel for a day. */
const mostRetrySeconds = 3_600

/** By the number of the error, and a few words where that is not enough; an unknown refusal is for good. */
export function judge(outcome: Answer | OutboundError, { address }: Pick<PartToSend, 'address'>): Judgement {
  const answer = readAnswer(outcome)
  if (answer.is === 'ok') {
    const id = asId(asFields(answer.result)?.message_id)
    if (id === undefined) return { is: 'in doubt', detail: 'Telegram said yes, without the message.' }
    return { is: 'sent', providerId: `${address.address}/${id}` }
  }
  if (answer.is === 'unknown') {
    if (!answer.isBeforeRequest) return { is: 'in doubt', detail: answer.detail }
    return { is: 'failed', code: 'not reached', detail: answer.detail, retries: true }
  }
  const { code, description, retryAfter = retrySeconds } = answer
  const refused = { code: String(code), detail: description }
  // It may be the chat's limit or the bot's: to wait with all is right in both cases.
  if (code === 429)
    return { is: 'later', seconds: Math.min(Math.max(1, retryAfter), mostRetrySeconds), holds: 'channel' }
  if (isTokenUnknown(answer)) return { is: 'broken', ...refused }
  if (code === 403 || isNobodyThere.test(description))
    return { is: 'failed', ...refused, retries: false, effect: 'blocked' }
  return { is: 'failed', ...refused, retries: code >= 500 }
}
