import type { Effect } from '../kind.ts'

/** The sender may not send: its owner has to do something at Twilio. */
export const ofSender = new Set([21_606, 21_659, 21_660, 30_002])
/** The same, of which Twilio tells in a receipt, too. */
export const unregistered = new Set([30_034, 30_032])
/** Too much at once. */
export const full = new Set([21_611, 30_001])
export const stoppedAtTwilio = 21_610

export function effectOf(code: number): Effect | undefined {
  if (code === stoppedAtTwilio) return 'blocked'
  return unregistered.has(code) ? 'not registered' : undefined
}

/** A receipt has the number of the error alone. */
const sentences: Readonly<Record<number, string>> = {
  21610: 'They wrote STOP to this number.',
  30001: 'Twilio had too many messages waiting.',
  30002: 'Twilio has suspended the account.',
  30003: 'Their phone is off or cannot be reached.',
  30004: 'The message was blocked, or the phone takes none.',
  30005: 'Nobody has this number, or not any more.',
  30006: 'It is a landline, or a carrier that takes no SMS.',
  30007: 'The carrier filtered it out as unwanted.',
  30008: 'The carrier gave no reason.',
  30032: 'This toll-free number is not verified with Twilio.',
  30034: 'This number is not registered for 10DLC with Twilio.',
  30036: 'It waited too long to be of use.',
}

export function detailOf(code: number, status: string): string {
  return sentences[code] ?? `Twilio says ${status}${code === 0 ? '' : ` with error ${code}`}.`
}
