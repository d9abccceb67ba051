/*
 * What this process counts for `/metrics`. These are plain numbers in memory, and always counted: prom-client's own
 * counters cost 2 µs for each request, these 0.1 µs (docs/decisions/0045). `app/operations/` reads them at a scrape.
 */

import { type Counts, type Distribution, openCounts, openDistribution } from './counts.ts'
import { openRequestMeter, type RequestMeter } from './request-meter.ts'

/** The meter of one group commit: rows that wait for a batch, and size and duration of the batches. */
export type CommitMeter = { waiting: number; rows: Distribution; seconds: Distribution }

export type Instruments = Readonly<{
  requests: RequestMeter
  /** Requests that wait for one of the connections that requests share. */
  waitingForConnection: { waiting: number }
  incoming: Counts<'kept' | 'copy'>
  commits: Record<'incoming' | 'outgoing' | 'outcomes' | 'grants', CommitMeter>
  /** Attempts to deliver, by what came of them. */
  attempts: Counts<string>
  attemptSeconds: Distribution
  /** Ended turns of the bot, by how they ended, and why an engine gave no answer. */
  turns: Counts<'answered' | 'offered' | 'fell back' | 'handed over' | 'silent' | 'skipped'>
  engineFailures: Counts<'error' | 'busy' | 'crash'>
  /** Providers of language models by state of their circuit breaker; none before the first is called. */
  models: { count: () => BreakerStates }
  /** Attempts to fetch a file. */
  fetches: Counts<'stored' | 'unreachable' | 'not allowed' | 'wrong type' | 'too large'>
  /** For how long something has been waiting to be counted for the reports; 0 without a worker. */
  reports: { lateSeconds: () => number }
  logLines: Counts<'warning' | 'error'>
}>

export type BreakerStates = { closed: number; halfOpen: number; open: number }

export function openInstruments(): Instruments {
  return {
    requests: openRequestMeter(),
    waitingForConnection: { waiting: 0 },
    incoming: openCounts(['kept', 'copy']),
    commits: {
      incoming: openCommitMeter(),
      outgoing: openCommitMeter(),
      outcomes: openCommitMeter(),
      grants: openCommitMeter(),
    },
    attempts: openCounts(['sent', 'http_4xx', 'http_5xx', 'timeout']),
    attemptSeconds: openDistribution(attemptBounds),
    turns: openCounts(['answered', 'offered', 'fell back', 'handed over', 'silent', 'skipped']),
    engineFailures: openCounts(['error', 'busy', 'crash']),
    models: { count: () => ({ closed: 0, halfOpen: 0, open: 0 }) },
    fetches: openCounts(['stored', 'unreachable', 'not allowed', 'wrong type', 'too large']),
    reports: { lateSeconds: () => 0 },
    logLines: openCounts(['warning', 'error']),
  }
}

const rowBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256]
const commitBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const attemptBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

function openCommitMeter(): CommitMeter {
  return { waiting: 0, rows: openDistribution(rowBounds), seconds: openDistribution(commitBounds) }
}
