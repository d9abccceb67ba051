import type { Result } from '../result.ts'
import type { JourneyCpu } from './parts.ts'

/** Each part by itself, at full speed, from the section that measures it. */
export function journeyCpu({ rounds, whole, bot, delivery }: Result): JourneyCpu {
  const { nodeMicros, postgresMicros } = rounds.standings.product
  const { sustained, acceptedOnly } = delivery
  return {
    kept: { node: nodeMicros, postgres: postgresMicros, from: 'the rounds, names in every message' },
    searchable: {
      node: whole.later.node,
      postgres: whole.later.postgres,
      from: 'the whole cost: later, with reports and alerts',
    },
    counted: undefined,
    answered: bot && { ...bot.different.cpu, from: 'answers while it catches up, all threads' },
    received: {
      node: sustained.nodeMicros - acceptedOnly.nodeMicros,
      postgres: sustained.postgresMicros - acceptedOnly.postgresMicros,
      from: 'messages out: sustained less accepted only',
    },
  }
}
