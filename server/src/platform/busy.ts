import { Refusal } from './refusal.ts'

/** The answer of a queue that is full, or that has kept somebody waiting for too long: nothing was done. */
export function busy(): Refusal {
  return new Refusal('RATE_LIMITED', 'The server is busy; try again in a second.', { retryAfterSeconds: 1 })
}
