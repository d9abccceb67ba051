import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import type { RunningServer } from '../servers/start.ts'

/** How many batches of incoming messages the server has written so far, and how many rows in all of them. */
export type Batches = { batches: number; rows: number }

/** As `/metrics` tells. */
export async function readBatches({ metricsPort }: RunningServer): Promise<Batches> {
  const told = await new Promise<string>((resolve, reject) => {
    const asking = get({ host: '127.0.0.1', port: metricsPort, path: '/metrics' }, (answer) => {
      text(answer).then(resolve, reject)
    })
    asking.once('error', reject)
  })
  const read = (name: string) =>
    Number(new RegExp(`^patchbay_group_commit_rows_${name}{commit="incoming"} (\\d+)$`, 'm').exec(told)?.[1])
  return { batches: read('count'), rows: read('sum') }
}
