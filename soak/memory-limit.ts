import { existsSync } from 'node:fs'
import { mkdir, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type MemoryLimit = { wrapper: string[]; [Symbol.asyncDispose]: () => Promise<void> }

/** A command prefix that runs a command in its own cgroup with a memory limit. */
export async function limitMemory(mebibytes: number): Promise<MemoryLimit> {
  const isFirst = existsSync('/sys/fs/cgroup/memory/memory.limit_in_bytes')
  const folder = join(isFirst ? '/sys/fs/cgroup/memory' : '/sys/fs/cgroup', `patchbay-soak-${process.pid}`)
  try {
    await mkdir(folder)
    await writeFile(join(folder, isFirst ? 'memory.limit_in_bytes' : 'memory.max'), String(mebibytes * 2 ** 20))
  } catch (cause) {
    throw new Error('This run limits memory with a cgroup, and needs permission to create one.', { cause })
  }
  const enter = `echo $$ > ${join(folder, 'cgroup.procs')} && exec "$@"`
  return {
    wrapper: ['/bin/sh', '-c', enter, 'sh'],
    [Symbol.asyncDispose]: () => rmdir(folder).catch(() => {}), // the cgroup may not be empty yet
  }
}
