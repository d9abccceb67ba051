import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The heap in use after a garbage collection. */
export function usedHeap(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
