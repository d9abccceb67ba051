import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** The processes a server consists of. */
export type Processes = { node: number; postmaster: number | undefined }

/** CPU time used so far, user and system, in microseconds. NaN where there is no /proc to read it from. */
export type Cpu = { node: number; postgres: number }

export function readCpu({ node, postmaster }: Processes): Cpu {
  return {
    node: ownMicros(readStat(node)),
    postgres: postmaster === undefined ? 0 : familyMicros(postmaster),
  }
}

export function cpuBetween(before: Cpu, after: Cpu): Cpu {
  return { node: after.node - before.node, postgres: after.postgres - before.postgres }
}

/**
 * A child that ends, as an autovacuum worker does, moves its time to what its parent waited for; counting the living
 * children and that together, nothing is lost and nothing counted twice.
 */
function familyMicros(postmaster: number): number {
  const parent = readStat(postmaster)
  if (!parent) return Number.NaN
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat?.parent === postmaster)
  return children.reduce((sum, child) => sum + ownMicros(child), ownMicros(parent) + parent.waitedForMicros)
}

type Stat = { parent: number; micros: number; waitedForMicros: number }

function ownMicros(stat: Stat | undefined): number {
  return stat?.micros ?? Number.NaN
}

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
