/** The rules that hold after every fault and every attack, checked over three histories: the client's responses, the
 * receiver's requests and the database. Used by tests and by `npm run soak`. */

export type Query = (text: string, values?: unknown[]) => Promise<{ rows: Record<string, unknown>[] }>

/** A request for an incoming message, as its client recorded it; status 0: no response. */
export type Asked = { messageSid: string; status: number; messageId?: string | undefined }

/** An event as a receiver got it, and the status it answered. */
export type Arrived = { messageId: string; webhookId: string; body: string; status: number }

export type Histories = {
  accountId: string
  asked: readonly Asked[]
  arrived?: readonly Arrived[]
  /** How often a process was killed: each may have caused one attempt more than is recorded. */
  kills?: number
  /** The bot was on for all of them, and no turn should be pending. */
  isAnswered?: boolean
  /** Every event should be delivered or failed. */
  isDelivered?: boolean
  /** Texts that must not be in any log. */
  secrets?: readonly string[]
  logs?: readonly string[]
}

/** The broken rules, as sentences; empty when all hold. */
export async function breachesOf(query: Query, histories: Histories): Promise<string[]> {
  const stored = await readIncoming(query, histories.accountId)
  return [
    ...nothingLost(stored, histories.asked),
    ...nothingInvented(stored, histories.asked),
    ...(histories.isAnswered ? await answeredOnce(query, histories.accountId) : []),
    ...(histories.isDelivered ? await deliveredToTheEnd(query, histories.accountId) : []),
    ...(histories.arrived ? await arrivalsAreTrue(query, histories, histories.arrived) : []),
    ...noLeaks(histories),
  ]
}

type Stored = Map<string, string[]>

async function readIncoming(query: Query, accountId: string): Promise<Stored> {
  const { rows } = await query(
    `select message_sid as sid, id from messages where account_id = $1 and direction = 'incoming'`,
    [accountId],
  )
  const stored: Stored = new Map()
  for (const { sid, id } of rows) stored.set(String(sid), [...(stored.get(String(sid)) ?? []), String(id)])
  return stored
}

const isGood = (status: number) => status >= 200 && status < 300

/** N1 and D1: what was acknowledged is stored once, under the id in every response. */
function nothingLost(stored: Stored, asked: readonly Asked[]): string[] {
  return asked.flatMap(({ messageSid, status, messageId }) => {
    const ids = stored.get(messageSid) ?? []
    if (ids.length > 1) return [`D1: ${messageSid} is kept ${ids.length} times`]
    if (!isGood(status)) return []
    if (ids.length === 0) return [`N1: ${messageSid} was acknowledged and is not kept`]
    return ids[0] === messageId ? [] : [`D1: ${messageSid} was acknowledged as ${messageId} and is kept as ${ids[0]}`]
  })
}

/** N2: whatever is stored was requested. */
function nothingInvented(stored: Stored, asked: readonly Asked[]): string[] {
  const known = new Set(asked.map(({ messageSid }) => messageSid))
  return [...stored.keys()].filter((sid) => !known.has(sid)).map((sid) => `N2: ${sid} is kept and nobody sent it`)
}

/** N1: every message that the bot was to answer is covered by one settled turn, and no turn is pending. */
async function answeredOnce(query: Query, accountId: string): Promise<string[]> {
  const { rows: owed } = await query('select count(*)::int as n from turns where account_id = $1', [accountId])
  const { rows } = await query(
    `select m.message_sid as sid, count(a.from_seq)::int as n
    from messages m
    left join answers a on a.account_id = m.account_id and a.contact_id = m.contact_id
      and m.seq between a.from_seq and a.to_seq
    where m.account_id = $1 and m.direction = 'incoming' and m.kind = 'text'
    group by m.account_id, m.id, m.message_sid having count(a.from_seq) <> 1`,
    [accountId],
  )
  return [
    ...(owed[0]?.n === 0 ? [] : [`N1: ${owed[0]?.n} turns are still owed`]),
    ...rows.map(({ sid, n }) => `N1: ${sid} is covered by ${n} settled turns`),
  ]
}

/** N1 and S1: every event has arrived, or has failed with a recorded reason. */
async function deliveredToTheEnd(query: Query, accountId: string): Promise<string[]> {
  const { rows } = await query(
    `select id, due_at is not null as "isOpen" from deliveries
    where account_id = $1 and (due_at is not null or (sent_at is null and error_category is null))`,
    [accountId],
  )
  return rows.map(({ id, isOpen }) => (isOpen ? `N1: ${id} is still owed` : `S1: ${id} has neither arrived nor failed`))
}

/** N2, D1, S1: every event is stored, has the same bytes at every attempt, arrived no more often than attempted, and `sent_at` means a 2xx. */
async function arrivalsAreTrue(
  query: Query,
  { accountId, kills = 0 }: Histories,
  arrived: readonly Arrived[],
): Promise<string[]> {
  const { rows } = await query(
    'select id, attempts, sent_at is not null as "isSent" from deliveries where account_id = $1',
    [accountId],
  )
  const kept = new Map(rows.map((row) => [String(row.id), row]))
  const hits = Map.groupBy(arrived, ({ messageId }) => messageId)
  const breaches: string[] = []
  for (const [id, events] of hits) {
    const attempts = Number(kept.get(id)?.attempts ?? Number.NaN)
    if (Number.isNaN(attempts)) breaches.push(`N2: ${id} arrived and is not kept`)
    else if (events.length > attempts + kills)
      breaches.push(`D1: ${id} arrived ${events.length} times in ${attempts} attempts`)
    const versions = new Set(events.map(({ webhookId, body }) => `${webhookId} ${body}`))
    if (versions.size > 1) breaches.push(`D1: ${id} arrived in ${versions.size} versions`)
  }
  for (const [id, { isSent }] of kept) {
    const wasTaken = hits.get(id)?.some(({ status }) => isGood(status)) ?? false
    if (isSent && !wasTaken) breaches.push(`S1: ${id} is said to be sent, and no receiver took it`)
  }
  return breaches
}

/** X1: no secret in any log; P1: no unhandled rejection. */
function noLeaks({ secrets = [], logs = [] }: Histories): string[] {
  return logs.flatMap((log) => [
    ...secrets.filter((secret) => log.includes(secret)).map((secret) => `X1: a log holds ${secret.slice(0, 6)}…`),
    ...(/unhandled|uncaught/i.test(log) ? ['P1: a rejection or an exception was handled by nobody'] : []),
  ])
}
