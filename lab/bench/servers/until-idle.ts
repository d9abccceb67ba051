import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuBetween, readCpu } from '../measure.ts'
import type { RunningServer } from './start.ts'

/** Under load a server puts work off, such as adding messages to the search; it must be done before it is measured again. */
export async function untilIdle({ processes }: RunningServer): Promise<void> {
  const windowMs = 4_000
  for (let waitedMs = 0; waitedMs < 120_000; waitedMs += windowMs) {
    const before = readCpu(processes)
    await sleep(windowMs)
    const { node, postgres } = cpuBetween(before, readCpu(processes))
    if ((node + postgres) / 1_000 / windowMs / availableParallelism() < 0.08) return
  }
}
