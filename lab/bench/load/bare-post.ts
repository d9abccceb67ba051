import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveOrders } from '../helper-process.ts'
import { filling } from './traffic.ts'

/** Posts to the receivers of the events, over so many connections at once. */
export type BarePosts = { ports: number[]; connections: number; warmupMs: number; measuredMs: number }

/** CPU time of this process, all its threads. */
export type BareOutcome = { requests: number; seconds: number; micros: number }

/** As long as an event of `outgoing.ts`, and not one of them: it has no number. */
const body = JSON.stringify({
  ...{ contactId: `con_${'0'.repeat(32)}`, messageId: `msg_${'0'.repeat(32)}`, userId: `usr_${'0'.repeat(32)}` },
  ...{ body: filling.slice(0, 200), toId: 'contact-000', channel: 'bench' },
})

// What a post costs Node at least: `node:http` with an agent that keeps connections, and nothing signed, resolved or kept.
serveOrders(async ({ ports, connections, warmupMs, measuredMs }: BarePosts): Promise<BareOutcome> => {
  const agent = new Agent({ keepAlive: true })
  let [isRunning, requests] = [true, 0]
  const workers = Array.from({ length: connections }, async (_, n) => {
    while (isRunning) {
      await post(agent, ports[n % ports.length] ?? 0)
      requests += 1
    }
  })
  await sleep(warmupMs)
  const before = { requests, at: performance.now(), cpu: process.cpuUsage() }
  await sleep(measuredMs)
  const { user, system } = process.cpuUsage(before.cpu)
  const outcome = {
    requests: requests - before.requests,
    seconds: (performance.now() - before.at) / 1_000,
    micros: user + system,
  }
  isRunning = false
  await Promise.all(workers)
  agent.destroy()
  return outcome
})

function post(agent: Agent, port: number): Promise<void> {
  const headers = { 'content-type': 'application/json', 'content-length': body.length }
  return new Promise((resolve, reject) => {
    const posting = request({ agent, host: '127.0.0.1', port, method: 'POST', path: '/events', headers }, (answer) => {
      answer.resume().once('end', resolve)
    })
    posting.once('error', reject)
    posting.end(body)
  })
}
