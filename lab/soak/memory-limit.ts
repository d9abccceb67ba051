import { existsSync } from 'node:fs'
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type MemoryLimit = {
  wrapper: string[]
  /** How many processes were killed for want of memory. */
  readKills: () => Promise<number>
  [Symbol.asyncDispose]: () => Promise<void>
}

/** A command prefix that runs a command in its own cgroup with a limit on memory, and on processor time if given. */
export async function limitMemory(mebibytes: number, cores?: number): Promise<MemoryLimit> {
  const isFirst = existsSync('/sys/fs/cgroup/memory/memory.limit_in_bytes')
  const name = `patchbay-${process.pid}-${mebibytes}`
  const memory = join(isFirst ? '/sys/fs/cgroup/memory' : '/sys/fs/cgroup', name)
  const cpu = isFirst ? join('/sys/fs/cgroup/cpu', name) : memory
  const folders = cores === undefined ? [memory] : [...new Set([memory, cpu])]
  try {
    for (const folder of folders) await mkdir(folder)
    await writeFile(join(memory, isFirst ? 'memory.limit_in_bytes' : 'memory.max'), String(mebibytes * 2 ** 20))
    if (cores !== undefined) {
      const quota = String(cores * 100_000) // of a period of 0.1 s
      if (isFirst) await writeFile(join(cpu, 'cpu.cfs_quota_us'), quota)
      else await writeFile(join(cpu, 'cpu.max'), `${quota} 100000`)
    }
  } catch (cause) {
    throw new Error('This run limits memory with a cgroup, and needs permission to create one.', { cause })
  }
  const enter = `${folders.map((folder) => `echo $$ > ${join(folder, 'cgroup.procs')}`).join(' && ')} && exec "$@"`
  return {
    wrapper: ['/bin/sh', '-c', enter, 'sh'],
    readKills: async () => {
      const text = await readFile(join(memory, isFirst ? 'memory.oom_control' : 'memory.events'), 'utf8')
      return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? Number.NaN)
    },
    [Symbol.asyncDispose]: async () => {
      for (const folder of folders) await rmdir(folder).catch(() => {}) // the cgroup may not be empty yet
    },
  }
}
