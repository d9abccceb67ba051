import type { Log } from '../platform/log.ts'

/** One kind of work that is written down in a table: what is due is leased, done and settled. */
export type Stage<Job> = {
  name: string
  /** How many jobs may be at work at once. */
  room: number
  /** Leases jobs that are due, up to so many. */
  claim: (room: number) => Promise<Job[]>
  /**
   * Does one to its end and settles it. When it throws, the lease runs out and someone does it again. While it waits for
   * somebody else inside `aside`, it takes no room; who calls that must bound how many do.
   */
  run: (job: Job, aside: Aside) => Promise<void>
  /** How often to look when nobody calls: a message between processes may get lost, and a lease may run out. */
  pollMs?: number
}

export type Aside = <Result>(wait: () => Promise<Result>) => Promise<Result>

export type RunningStage<Job> = {
  /** Something may be due now. */
  wake: () => void
  /** Does a job whose lease this process has already, without looking for it. */
  take: (job: Job) => void
  /** Claims nothing more, and waits for what is at work. */
  stop: () => Promise<void>
}

export function startStage<Job>({ name, room, claim, run, pollMs = 1_000 }: Stage<Job>, log: Log): RunningStage<Job> {
  let atWork = 0
  let inHand = 0
  let lastIsDone = Promise.withResolvers<void>()
  let isWanted = true
  let looking: Promise<void> | undefined
  let isStopping = false

  async function look(): Promise<void> {
    while (isWanted && !isStopping && atWork < room) {
      isWanted = false
      const jobs = await claim(room - atWork)
      for (const job of jobs) take(job)
      if (jobs.length > 0) isWanted = true // there may be more
    }
  }

  function wake(): void {
    isWanted = true
    if (looking || isStopping || atWork >= room) return
    looking = look()
      .catch((err) => log.warn({ err, stage: name }, 'could not look for work; trying again in a second'))
      .finally(() => {
        looking = undefined
      })
  }

  const aside: Aside = async (wait) => {
    atWork -= 1
    if (isWanted) wake()
    try {
      return await wait()
    } finally {
      atWork += 1
    }
  }

  function take(job: Job): void {
    atWork += 1
    inHand += 1
    void run(job, aside)
      .catch((err) => log.error({ err, stage: name }, 'work failed; it is done again when its lease has run out'))
      .finally(() => {
        atWork -= 1
        inHand -= 1
        if (inHand === 0) lastIsDone.resolve()
        if (isWanted) wake()
      })
  }

  const polling = setInterval(wake, pollMs)
  wake()
  return {
    wake,
    take,
    stop: async () => {
      isStopping = true
      clearInterval(polling)
      await looking
      for (; inHand > 0; await lastIsDone.promise) lastIsDone = Promise.withResolvers<void>()
    },
  }
}
