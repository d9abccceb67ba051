import { toPerson } from './respond.ts'

/** The part of a result that hands the conversation over to a person, and tells the contact if there is a text. */
export function handOver(text: string | null, reason: string) {
  return { outcome: 'handed over' as const, reason, text, handler: toPerson(reason), waiting: reason }
}
