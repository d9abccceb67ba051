import { limits } from '@patchbay/contract/limits.ts'
import { readInteger } from './read-value.ts'

/** For how many days each kind of thing is kept; null: for ever. An account may keep it for a shorter time. */
export type KeepDays = Readonly<{
  messages: number | null
  attachments: number | null
  answers: number | null
  attempts: number
  unanswered: number
  audit: number
  calls: number | null
  /** Since their last message, and only if nothing is known of them. */
  visitors: number
}>

export function readKeepDays(read: (name: string) => string | undefined): KeepDays {
  const days = <Default>(name: string, otherwise: Default): number | Default => {
    const text = read(name)
    return text === undefined ? otherwise : readInteger(name, text, limits.keepDays)
  }
  return {
    messages: days('KEEP_MESSAGES_DAYS', null),
    attachments: days('KEEP_ATTACHMENTS_DAYS', null),
    answers: days('KEEP_ANSWERS_DAYS', null),
    attempts: days('KEEP_ATTEMPTS_DAYS', 30),
    unanswered: days('KEEP_UNANSWERED_DAYS', 90),
    audit: days('KEEP_AUDIT_DAYS', 365),
    calls: days('KEEP_API_CALLS_DAYS', null),
    visitors: days('KEEP_VISITORS_DAYS', 365),
  }
}
