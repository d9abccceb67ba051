import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** The processes a server consists of. */
export type Processes = { node: number; postmaster: number | undefined }

/** CPU time used so far, user and system, in microseconds. NaN where there is no /proc to read it from. */
export type Cpu = { node: number; postgres: number }

export function readCpu({ node, postmaster }: Processes): Cpu {
  return {
    node: processMicros(node),
    postgres: postmaster === undefined ? 0 : familyMicros(postmaster),
  }
}

export function cpuBetween(before: Cpu, after: Cpu): Cpu {
  return { node: after.node - before.node, postgres: after.postgres - before.postgres }
}

/**
 * Of a process with threads. `schedstat` counts in nanoseconds, but each thread for itself, and one that ends takes its
 * time with it; `stat` keeps the time of those, but counts in hundredths of a second, rounded down. So the larger of the
 * two is the time: the first while no thread has ended, and otherwise the second.
 */
function processMicros(pid: number): number {
  const ticks = readStat(pid)?.micros ?? Number.NaN
  const threads = listNumbers(`/proc/${pid}/task`).map((thread) => readSchedstat(`/proc/${pid}/task/${thread}`))
  if (threads.length === 0 || threads.includes(undefined)) return ticks
  return Math.max(
    ticks,
    threads.reduce<number>((sum, micros) => sum + (micros ?? 0), 0),
  )
}

/**
 * A child that ends, as a connection does that was idle for minutes, moves its time to what its parent waited for; counting
 * the living children and that together, nothing is lost and nothing counted twice. Only the time of those that ended is
 * rounded, to hundredths of a second.
 */
function familyMicros(postmaster: number): number {
  const parent = readStat(postmaster)
  if (!parent) return Number.NaN
  const living = [postmaster, ...childrenOf(postmaster)].map(backendMicros)
  return living.reduce((sum, micros) => sum + micros, parent.waitedForMicros)
}

/** Of a process of PostgreSQL, which has one thread; 0 if it has ended. */
export function backendMicros(pid: number): number {
  return readSchedstat(`/proc/${pid}`) ?? readStat(pid)?.micros ?? 0
}

export function childrenOf(parent: number): number[] {
  return listNumbers('/proc').filter((pid) => readStat(pid)?.parent === parent)
}

/** The first number is the nanoseconds on a CPU. */
function readSchedstat(folder: string): number | undefined {
  const text = readOrUndefined(`${folder}/schedstat`)
  return text === undefined ? undefined : Number(text.split(' ')[0]) / 1_000
}

function listNumbers(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

type Stat = { parent: number; micros: number; waitedForMicros: number }

/** The kernel counts in hundredths of a second on every platform that Node runs on. */
const microsPerTick = 10_000

function readStat(pid: number): Stat | undefined {
  const text = readOrUndefined(`/proc/${pid}/stat`)
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ') // the name before it may hold spaces
  const [user = 0, system = 0, waitedUser = 0, waitedSystem = 0] = fields.slice(11, 15).map(Number)
  return {
    parent: Number(fields[1]),
    micros: (user + system) * microsPerTick,
    waitedForMicros: (waitedUser + waitedSystem) * microsPerTick,
  }
}

/** What the whole machine has spent on programs, in microseconds of one core. */
export function readMachineCpu(): number {
  const [user, nice, system] = readOrUndefined('/proc/stat')?.split(/\s+/).slice(1, 4).map(Number) ?? []
  return ((user ?? Number.NaN) + (nice ?? 0) + (system ?? 0)) * microsPerTick
}

export type Memory = { now: number; peak: number }

/** Resident memory of one process in bytes: now, and the most since `resetPeakMemory`. */
export function readMemory(pid: number): Memory {
  const text = readOrUndefined(`/proc/${pid}/status`) ?? ''
  const read = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(text)?.[1]) * 1024
  return { now: read('VmRSS'), peak: read('VmHWM') }
}

export function resetPeakMemory(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {} // not everywhere; the peak then counts from the start of the process, which is never less
}

function readOrUndefined(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
