import { after } from 'node:test'
import { type Environment, openRunningApp, type RunningApp } from './running-app.ts'

export type Borrowed = { running: RunningApp; giveBack: () => Promise<void> }

/** Each keeps connections open, and has a thread once it has loaded the model. */
let mostIdle = 2

/** Those that no test has now, by environment, the one used last at the end. */
const idle: { name: string; running: RunningApp }[] = []

/**
 * A server for one test at a time. Starting one takes 200 ms of processor time, with background work twice as much, and
 * its first statements another 100 ms; emptying its database takes 10 ms.
 */
export async function borrowApp(environment: Environment): Promise<Borrowed> {
  const name = JSON.stringify(Object.entries(environment).sort())
  const at = idle.findLastIndex((one) => one.name === name)
  const [found] = at === -1 ? [] : idle.splice(at, 1)
  const running = found?.running ?? (await openRunningApp(environment, { isForMany: true }))
  return {
    running,
    giveBack: async () => {
      let isUsable = false
      try {
        isUsable = await running.end()
      } finally {
        if (!isUsable) await running[Symbol.asyncDispose]()
      }
      if (isUsable) idle.push({ name, running })
      while (idle.length > mostIdle) await idle.shift()?.running[Symbol.asyncDispose]()
    },
  }
}

/** What is given back later, by a hook of a test file, is closed at once. */
async function closeIdle(): Promise<void> {
  mostIdle = 0
  for (const { running } of idle.splice(0)) await running[Symbol.asyncDispose]()
}

// The soak loads this file too, where a hook would make it a test.
if (process.env.PATCHBAY_TEST_SERVER !== undefined) after(closeIdle)
