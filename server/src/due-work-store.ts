import type { Pool } from 'pg'
import { mayEmbed } from './answers/knowledge/entries/missing-store.ts'
import { mayRetry } from './answers/knowledge/unanswered/retry-store.ts'
import { mayAdvance } from './journey/broadcasts/record/store.ts'
import { mayScanResults } from './journey/broadcasts/results/answers-store.ts'
import { hasChannels, mayCheck } from './journey/channels/store.ts'
import { mayDeliver } from './journey/delivery/claim/store.ts'
import { mayFetch } from './journey/media/fetch-store.ts'
import { mayTryParked } from './journey/provider-events/parked/parked-store.ts'
import { mayPoll } from './journey/provider-events/poll/poll-store.ts'
import { mayImport } from './people/imports/due-store.ts'
import { prepared } from './platform/database/prepared.ts'
import { openPauseAfterSlow } from './platform/jobs/pause-after-slow.ts'
import type { IsDue } from './platform/jobs/polling.ts'

const conditions = {
  media: mayFetch,
  imports: mayImport,
  knowledge: mayEmbed('$1'),
  unanswered: mayRetry,
  broadcasts: `(${mayAdvance} or ${mayScanResults})`,
  delivery: mayDeliver,
  channels: hasChannels,
  channelChecks: mayCheck,
  channelPolls: mayPoll,
  parkedReceipts: mayTryParked,
}

type DueWork = keyof typeof conditions

/** Stages ask at the same moment, once a second. */
const validMs = 300

/**
 * Looks for work of all stages that poll, by one statement: eight of them took a server that has nothing to do three times as
 * long. A stage that finds nothing due here asks for nothing else.
 */
export function openDueWork(pool: Pool, model: string): Record<DueWork, IsDue> {
  let looking: Promise<Record<DueWork, boolean>> | undefined
  let validUntil = 0
  const pauseAfter = openPauseAfterSlow()

  async function look(): Promise<Record<DueWork, boolean>> {
    const began = performance.now()
    const { rows } = await pool.query<Record<DueWork, boolean>>(prepared(statements, 'find-due-work', [model]))
    validUntil = Math.max(validUntil, performance.now() + pauseAfter(performance.now() - began))
    return rows[0] as Record<DueWork, boolean> // a statement without a table has one row
  }

  const isDue = (stage: DueWork) => async () => {
    if (!looking || performance.now() > validUntil) {
      validUntil = performance.now() + validMs
      looking = look()
    }
    return (await looking)[stage]
  }
  const stages = Object.keys(conditions) as DueWork[]
  return Object.fromEntries(stages.map((stage) => [stage, isDue(stage)])) as Record<DueWork, IsDue>
}

export const statements = {
  'find-due-work': `
select ${Object.entries(conditions)
    .map(([stage, condition]) => `${condition} as "${stage}"`)
    .join(',\n  ')}
`,
}
