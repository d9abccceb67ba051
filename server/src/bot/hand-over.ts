import { toPerson } from './respond.ts'

/** The part of a settlement that calls a person, and says so if there is something to say. */
export function handOver(text: string | null, reason: string) {
  return { outcome: 'handed over' as const, reason, text, handler: toPerson(reason), waiting: reason }
}
