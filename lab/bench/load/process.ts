import { serveOrders } from '../helper-process.ts'
import { openLedger } from './ledger.ts'
import { openReceiver } from './receiver.ts'
import { type DeliveryLoad, runDelivery } from './run-delivery.ts'
import { type Load, runLoad } from './run-load.ts'
import { type Upload, upload } from './upload.ts'

/** What the runner may ask of this process, one thing at a time; `stop` ends a load before its time. */
export type Order = { load: Load } | { upload: Upload } | { listen: number } | { deliver: DeliveryLoad } | 'stop'

let stopped = Promise.withResolvers<void>()
/** Sender and receiver are one process: they share a clock, and together take a third of a core at most. */
const ledger = openLedger()

serveOrders<Order>((order) => {
  if (order === 'stop') {
    stopped.resolve()
    return undefined
  }
  stopped = Promise.withResolvers<void>()
  if ('load' in order) return runLoad(order.load, stopped.promise)
  if ('upload' in order) return upload(order.upload)
  return 'listen' in order ? openReceiver(order.listen, ledger) : runDelivery(order.deliver, ledger)
})
