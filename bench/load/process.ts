import { type Load, runLoad } from './run-load.ts'
import { type Upload, upload } from './upload.ts'

/** What the runner may ask of this process, one thing at a time; `stop` ends a load before its time. */
export type Order = { load: Load } | { upload: Upload } | 'stop'

let stopped = Promise.withResolvers<void>()

process.on('message', (order: Order) => {
  if (order === 'stop') return stopped.resolve()
  stopped = Promise.withResolvers<void>()
  const work = 'load' in order ? runLoad(order.load, stopped.promise) : upload(order.upload)
  work.then(
    (outcome) => process.send?.({ outcome }),
    (error) => process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  )
})
process.on('disconnect', () => process.exit()) // the runner is gone, however it went
process.on('SIGINT', () => {}) // Ctrl-C is the runner's to handle
