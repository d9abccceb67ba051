import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem, type } from 'node:os'
import type { Client } from 'pg'

/** What the figures depend on besides the code. */
export type Machine = {
  cores: number
  cpu: string
  memoryGiB: number
  node: string
  postgres: string
  kernel: string
}

export async function describeMachine(client: Client): Promise<Machine> {
  const { rows } = await client.query<{ server_version: string }>('show server_version')
  return {
    cores: availableParallelism(),
    cpu: `${cpuModel()}, ${process.arch}`,
    memoryGiB: Math.round((totalmem() / 2 ** 30) * 10) / 10,
    node: process.version,
    postgres: rows[0]?.server_version ?? 'unknown',
    kernel: `${type()} ${release()}`,
  }
}

/** The name of files with results of this kind of processor. */
export function processorSlug({ cpu }: Machine): string {
  const words = cpu
    .toLowerCase()
    .replace(/\((r|tm|c)\)|@.*(?=, )|\b(cpu|processor|\d+-core)\b/g, ' ')
    .match(/[a-z\d]+/g)
  return words?.join('-') ?? 'unknown'
}

/** Arm kernels give no name, only who made it and which part it is. */
function cpuModel(): string {
  const model = cpus()[0]?.model.trim()
  if (model && model !== 'unknown') return model
  try {
    const text = readFileSync('/proc/cpuinfo', 'utf8')
    const read = (name: string) => new RegExp(`^${name}\\s*: (.*)$`, 'm').exec(text)?.[1] ?? '?'
    return `implementer ${read('CPU implementer')} part ${read('CPU part')}`
  } catch {
    return 'unknown'
  }
}
