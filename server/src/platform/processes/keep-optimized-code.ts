import { setFlagsFromString } from 'node:v8'

/**
 * V8 collects everything when a process has been idle for eight seconds, and throws away optimized code that refers to what no
 * connection uses at that moment: the messages after a pause took an eighth more of Node for some seconds. From now on it waits for a
 * minute (decision 18). It is set here and not in the first line of `cli.ts`, because a Node without this flag would not start.
 */
export function keepOptimizedCode(): void {
  setFlagsFromString('--memory-reducer-delay-ms=60000')
}
