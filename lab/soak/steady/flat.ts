import { percentilesOf } from '../../common/percentiles.ts'

/** Memory of the server, and disk: tables whose rows are removed when they are old, those that are kept, and the log. In bytes. */
export type Sample = {
  atMs: number
  memory: number
  tables: number
  /** By name, to see which of them grew. */
  largest: Record<string, number>
  forever: number
  wal: number
  mostWal: number
}

/** Memory: what M1 lets one attack keep. A process that was attacked for the first time in between keeps that much. */
const most = { memoryMiB: 60, diskMiB: 16, diskShare: 0.1 }
const mebibyte = 2 ** 20

/**
 * M1 over a long time: the last sixth needs no more than the one that ended ten minutes before, of half an hour. The first
 * half does not count: the server is killed in it, a new process grows for some minutes, and so do tables until old rows are
 * removed and their space is used again. The write-ahead log grows up to its limit, and not beyond.
 */
export function growthOf(samples: Sample[], totalMs: number): { figures: Record<string, number>; broken: string[] } {
  const sixth = (n: number) => samples.filter(({ atMs }) => Math.floor((6 * atMs) / totalMs) === n)
  const [before, after] = [read(sixth(3)), read(sixth(5))]
  const wal = { highest: inMiB(Math.max(...samples.map((one) => one.wal))), most: inMiB(samples[0]?.mostWal) }
  return {
    figures: {
      'memory MiB before': before.memory,
      'memory MiB after': after.memory,
      'tables MiB before': before.tables,
      'tables MiB after': after.tables,
      'log MiB at most': wal.highest,
      'ledger and sids MiB before': before.forever,
      'ledger and sids MiB after': after.forever,
    },
    broken: [
      ...(after.memory <= before.memory + most.memoryMiB
        ? []
        : [`M1: memory went from ${before.memory} to ${after.memory} MiB`]),
      ...(after.tables <= before.tables * (1 + most.diskShare) + most.diskMiB
        ? []
        : [`M1: tables went from ${before.tables} to ${after.tables} MiB`]),
      ...(wal.highest <= wal.most ? [] : [`M1: the write-ahead log grew to ${wal.highest} MiB, of ${wal.most}`]),
    ],
  }
}

function read(samples: Sample[]): { memory: number; tables: number; forever: number } {
  // Attacks take memory for a time; what is never given back is in the lower quarter too.
  const memory = percentilesOf(samples.map((one) => one.memory))(0.25)
  const tables = Math.max(...samples.map((one) => one.tables))
  return { memory: inMiB(memory), tables: inMiB(tables), forever: inMiB(samples.at(-1)?.forever) }
}

const inMiB = (bytes: number | undefined) => Math.round((bytes ?? Number.NaN) / mebibyte)
