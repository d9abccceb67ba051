import { openCollect } from '../../src/platform/processes/collect-buffers.ts'

// A program: prints how many MiB a collection gives back after a flood of buffers and objects.
const collect = openCollect()
const taken = () => process.memoryUsage().rss / 2 ** 20
let held: unknown[] = []
for (let n = 0; n < 600; n += 1) {
  held.push(
    Buffer.alloc(65_536, 1),
    Array.from({ length: 2_000 }, (_, at) => ({ at, n })),
  )
  if (held.length > 700) held.splice(0, 300)
  await null
}
held = []
const before = taken()
collect()
process.stdout.write(String(before - taken()))
