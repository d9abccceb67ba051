import { breachesOf, type Query } from '../../server/test/helpers/global-rules.ts'
import type { Attempt } from '../soak/kills/client.ts'
import type { ArrivedReply } from '../soak/kills/receiver.ts'
import { untilSettled } from '../soak/kills/world.ts'
import { ownerKey } from '../soak/product.ts'
import { ledgerBreaches } from '../soak/product-commands.ts'
import type { Tenant } from '../soak/tenants.ts'
import type { Figures } from './report.ts'
import type { Server } from './servers.ts'

export type Observed = {
  servers: Server[]
  tenant: Tenant
  query: Query
  asked: Attempt[]
  arrived: ArrivedReply[]
  /** How often something was killed: each may have caused one attempt more than is recorded. */
  kills: number
}

/** Waits until nothing is pending, and compares what senders, receiver and database know. */
export async function check({ servers, tenant, query, asked, arrived, kills }: Observed): Promise<Figures> {
  const hasSettled = await untilSettled(query, tenant)
  const { accountId, apiKey } = tenant
  const acknowledged = new Set(asked.filter(({ status }) => status === 200).map(({ messageSid }) => messageSid))
  const stored = await countStored(query, accountId)
  const { rows: outgoing } = await query(
    'select id, sent_at is not null as "isSent" from deliveries where account_id = $1',
    [accountId],
  )
  const hits = Map.groupBy(arrived, ({ messageId }) => messageId)
  const unsent = outgoing.filter(({ id, isSent }) => !isSent || !hits.has(String(id))).length
  const rules = await breachesOf(query, {
    accountId,
    asked,
    arrived,
    kills,
    isAnswered: true,
    isDelivered: true,
    secrets: [apiKey, ownerKey],
    logs: servers.map(({ product }) => product.log()),
  })
  const [first] = servers
  const exited = servers.filter(({ product }) => !product.isAlive()).map(({ name }) => `P1: server ${name} has exited`)
  return {
    longestGapMs: longestGap(asked),
    sent: new Set(asked.map(({ messageSid }) => messageSid)).size,
    acknowledged: acknowledged.size,
    found: acknowledged
      .values()
      .filter((sid) => stored.has(sid))
      .toArray().length,
    doubled: stored
      .values()
      .filter((times) => times > 1)
      .toArray().length,
    answers500: asked.filter(({ status }) => status >= 500).length,
    answers429: asked.filter(({ status }) => status === 429).length,
    noAnswer: asked.filter(({ status }) => status === 0).length,
    replies: outgoing.length,
    repliesDoubled: arrived.length - hits.size,
    broken: [
      ...exited,
      ...(hasSettled ? [] : ['N1: turns or deliveries are still pending after two minutes']),
      ...(unsent > 0 ? [`N1: ${unsent} replies were not sent`] : []),
      ...outOfOrder(arrived),
      ...rules,
      ...(first ? await ledgerBreaches(first.product) : []),
    ],
  }
}

async function countStored(query: Query, accountId: string): Promise<Map<string, number>> {
  const { rows } = await query(
    `select message_sid as sid, count(*)::int as n from messages
    where account_id = $1 and direction = 'incoming' group by message_sid`,
    [accountId],
  )
  return new Map(rows.map(({ sid, n }) => [String(sid), Number(n)]))
}

/** The longest time in which no message was acknowledged. */
function longestGap(asked: Attempt[]): number {
  const times = asked.filter(({ status }) => status === 200).map(({ sentAtMs, tookMs }) => sentAtMs + tookMs)
  const sorted = times.toSorted((a, b) => a - b)
  return sorted.reduce((longest, at, n) => Math.max(longest, at - (sorted[n - 1] ?? at)), 0)
}

/** A reply that comes twice comes again before the next one of its conversation. */
function outOfOrder(arrived: ArrivedReply[]): string[] {
  const last = new Map<string, number>()
  return arrived.flatMap(({ contact, sequence, messageId }) => {
    const before = last.get(contact) ?? 0
    last.set(contact, Math.max(before, sequence))
    return sequence >= before ? [] : [`O1: ${messageId} (${sequence}) arrived after number ${before} of ${contact}`]
  })
}
