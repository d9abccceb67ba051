import { existsSync, readFileSync } from 'node:fs'
import type { ServerProcess } from './server-process.ts'
import { until } from './until.ts'

/** Process ids of the serving processes, in the order they became ready. Waits until the log has so many. */
export async function servingPids({ output }: ServerProcess, count: number): Promise<number[]> {
  const pids = () => linesOf(output(), 'a serving process is ready').map(({ pid }) => Number(pid))
  await until(() => pids().length >= count, `there are no ${count} serving processes`)
  return pids()
}

/** The log lines with this message. */
export function linesOf(output: string, msg: string): Record<string, unknown>[] {
  return output
    .slice(0, output.lastIndexOf('\n'))
    .split('\n')
    .filter((line) => line.includes(`"msg":"${msg}`))
    .map((line) => JSON.parse(line))
}

/** A process that has ended but was not waited for counts as gone. */
export function isRunning(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
