/** Memory of the server, and disk: of what is removed when it is old, and of what is kept. In bytes. */
export type Sample = { atMs: number; memory: number; bounded: number; forever: number }

const most = { memoryMiB: 40, diskMiB: 16, diskShare: 0.1 }
const mebibyte = 2 ** 20

/**
 * M1 over a long time: the last third needs no more than the one before. The first does not count: the server is killed in it,
 * and nothing is old enough to be removed.
 */
export function growthOf(samples: Sample[], totalMs: number): { figures: Record<string, number>; broken: string[] } {
  const third = (n: number) => samples.filter(({ atMs }) => Math.floor((3 * atMs) / totalMs) === n)
  const [middle, last] = [third(1), third(2)]
  // Attacks take memory for a time; what is never given back is in the lower quarter too.
  const memory = [middle, last].map((all) => inMiB(all.map((one) => one.memory).sort(byNumber)[all.length >> 2]))
  const disk = [middle, last].map((all) => inMiB(Math.max(...all.map((one) => one.bounded))))
  const forever = [middle, last].map((all) => inMiB(all.at(-1)?.forever))
  const [memoryBefore = Number.NaN, memoryAfter = Number.NaN] = memory
  const [diskBefore = Number.NaN, diskAfter = Number.NaN] = disk
  const diskLimit = diskBefore * (1 + most.diskShare) + most.diskMiB
  return {
    figures: {
      ...{ 'memory MiB before': memoryBefore, 'memory MiB after': memoryAfter },
      ...{ 'disk MiB before': diskBefore, 'disk MiB after': diskAfter },
      ...{
        'ledger and sids MiB before': forever[0] ?? Number.NaN,
        'ledger and sids MiB after': forever[1] ?? Number.NaN,
      },
    },
    broken: [
      ...(memoryAfter <= memoryBefore + most.memoryMiB
        ? []
        : [`M1: memory went from ${memoryBefore} to ${memoryAfter} MiB in the last third`]),
      ...(diskAfter <= diskLimit ? [] : [`M1: disk went from ${diskBefore} to ${diskAfter} MiB in the last third`]),
    ],
  }
}

const byNumber = (a: number, b: number) => a - b
const inMiB = (bytes: number | undefined) => Math.round((bytes ?? Number.NaN) / mebibyte)
