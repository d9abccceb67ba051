import { availableParallelism } from 'node:os'
import { type Cpu, cpuBetween, type Memory, type Processes, readCpu, readMachineCpu, readMemory } from '../measure.ts'

/** What a stretch of time cost, and whom. */
export type Metered = {
  cpu: Cpu
  memory: Memory
  /** What this process used itself, as a share of one core. */
  clientShare: number
  /** What programs that have nothing to do with this used meanwhile, as a share of the machine. */
  othersShare: number
}

/** Meters from now until the function it returns is called. */
export function startMeter(processes: Processes): () => Metered & { seconds: number } {
  const before = { cpu: readCpu(processes), own: process.cpuUsage(), machine: readMachineCpu(), at: performance.now() }
  return () => {
    const ms = performance.now() - before.at
    const { user, system } = process.cpuUsage(before.own)
    const cpu = cpuBetween(before.cpu, readCpu(processes))
    const others = readMachineCpu() - before.machine - cpu.node - cpu.postgres - user - system
    return {
      seconds: ms / 1_000,
      cpu,
      memory: readMemory(processes.node),
      clientShare: (user + system) / 1_000 / ms,
      othersShare: Math.max(0, others / 1_000 / ms / availableParallelism()),
    }
  }
}
