/*
 * Background work: every stage runs in the loop of this file, and `notify.ts` wakes the stages of other processes.
 */

import type { Log } from '../log.ts'
import { type IsDue, startPolling } from './polling.ts'

/**
 * One kind of background work whose jobs are rows of a table. All stages run in the same loop: claim what is due under
 * a lease, run it, settle it, and finish what is running before the process stops.
 */
export type Stage<Job> = {
  name: string
  /** How many jobs may run at once: the slots of this stage. */
  concurrency: number
  /** A claim waits until so many slots are free; 1 by default. Where jobs are short, fewer claims for the same work. */
  leastFree?: number
  /** Leases jobs that are due, up to `limit`. */
  claim: (limit: number) => Promise<Job[]>
  /**
   * Runs one job to its end and settles it. When it throws, the lease runs out and some process runs the job again.
   * While it waits for another service inside `withoutSlot`, it takes no slot; the caller must bound how many do so.
   */
  run: (job: Job, withoutSlot: WithoutSlot) => Promise<void>
  /** How often to claim without being woken: a notification of a process may get lost, and a lease may run out. */
  pollMs?: number
  /** Asked before each of these claims: something cheaper than a claim that says whether there may be work. */
  isDue?: IsDue | undefined
  /** After a claim that found something: whether another one at once may find more; left out: it may. */
  mayFindMore?: () => boolean
  /** When no other claim follows at once: when something will be due, if that is known and sooner than the next poll. */
  dueInMs?: () => number | undefined
}

/** Releases the job's slot for the duration of `wait`. Afterwards it has a slot again, even above `concurrency`. */
export type WithoutSlot = <Result>(wait: () => Promise<Result>) => Promise<Result>

export type RunningStage<Job> = {
  /** Something may be due now. */
  wake: () => void
  /** Runs a job that this process has leased already, without a claim. */
  take: (job: Job) => void
  /** Claims nothing more, and waits for the jobs that are running. */
  stop: () => Promise<void>
}

export function startStage<Job>(stage: Stage<Job>, log: Log): RunningStage<Job> {
  const { name, claim, run, pollMs = 1_000, isDue, dueInMs, mayFindMore } = stage
  const mostTaken = stage.concurrency - (stage.leastFree ?? 1)
  const running = openRunningCount()
  let slotsTaken = 0
  let mayBeDue = true
  let claiming: Promise<void> | undefined
  let isStopping = false

  async function claimAll(): Promise<void> {
    while (mayBeDue && !isStopping && slotsTaken <= mostTaken) {
      mayBeDue = false
      const jobs = await claim(stage.concurrency - slotsTaken)
      for (const job of jobs) take(job)
      if (jobs.length > 0 && (mayFindMore?.() ?? true)) mayBeDue = true
      else polling.wakeIn(dueInMs?.())
    }
  }

  function wake(): void {
    mayBeDue = true
    if (claiming || isStopping || slotsTaken > mostTaken) return
    claiming = claimAll()
      .catch((err) => log.warn({ err, stage: name }, 'could not look for work; trying again in a second'))
      .finally(() => {
        claiming = undefined
      })
  }

  const withoutSlot: WithoutSlot = async (wait) => {
    slotsTaken -= 1
    if (mayBeDue) wake()
    try {
      return await wait()
    } finally {
      slotsTaken += 1
    }
  }

  function take(job: Job): void {
    slotsTaken += 1
    running.begin()
    void run(job, withoutSlot)
      .catch((err) => log.error({ err, stage: name }, 'work failed; it is done again when its lease has run out'))
      .finally(() => {
        slotsTaken -= 1
        running.end()
        if (mayBeDue) wake()
      })
  }

  async function stop(): Promise<void> {
    isStopping = true
    polling.stop()
    await claiming
    await running.untilNone()
  }

  const polling = startPolling(pollMs, wake, isDue)
  wake()
  return { wake, take, stop }
}

/** Counts the jobs that run, also those that have no slot at the moment. */
function openRunningCount() {
  let running = 0
  let none = Promise.withResolvers<void>()
  return {
    begin: () => {
      running += 1
    },
    end: () => {
      running -= 1
      if (running === 0) none.resolve()
    },
    untilNone: async () => {
      for (; running > 0; await none.promise) none = Promise.withResolvers<void>()
    },
  }
}
