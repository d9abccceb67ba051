import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { mergedMetrics, type SampledProcess } from '../../../src/app/operations/merged-metrics.ts'
import type { Metric } from '../../../src/app/operations/metric.ts'

const definitions: Metric[] = [
  { name: 'requests_total', type: 'counter', help: '', read: () => [] },
  { name: 'waiting', type: 'gauge', help: '', read: () => [] },
  { name: 'memory', type: 'gauge', help: '', isPerProcess: true, read: () => [] },
]

test('counters of processes that ended are kept in the sum, gauges are those of the processes that run', async () => {
  const report = (requests: number) => async () => ({
    requests_total: [{ labels: { status: 200 }, value: requests }],
    waiting: [{ value: 2 }],
    memory: [{ value: 10 * requests }],
  })
  const silent = () => Promise.reject(new Error('no answer'))
  let running: SampledProcess[] = [
    { id: 101, index: 1, read: report(5) },
    { id: 102, index: 2, read: report(7) },
  ]
  const metrics = mergedMetrics(definitions, () => running)
  const scrape = async () => {
    await sleep(150) // one scrape is cached for less
    return Promise.all(metrics.map(({ read }) => read()))
  }
  const [requests, waiting, memory] = await scrape()
  assert.deepEqual(requests, [{ labels: { status: 200 }, value: 12 }])
  assert.deepEqual(waiting, [{ value: 4 }])
  assert.deepEqual(memory, [
    { labels: { process: 1 }, value: 50 },
    { labels: { process: 2 }, value: 70 },
  ])

  running = [
    { id: 103, index: 1, read: report(1) },
    { id: 102, index: 2, read: silent },
  ]
  const [after, waitingAfter, memoryAfter] = await scrape()
  assert.deepEqual(after, [{ labels: { status: 200 }, value: 13 }])
  assert.deepEqual(waitingAfter, [{ value: 4 }])
  assert.deepEqual(memoryAfter?.map(({ labels }) => labels?.process).sort(), [1, 2])
})
