import { createRequire, syncBuiltinESMExports } from 'node:module'

// Loaded before a program that must start no thread, such as that of the built-in model.
const threads = createRequire(import.meta.url)('node:worker_threads')
threads.Worker = class {
  constructor(script: URL) {
    throw new Error(`a thread was started: ${script}`)
  }
}
syncBuiltinESMExports()
