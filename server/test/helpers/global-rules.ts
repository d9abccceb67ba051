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
  /** Old messages are removed meanwhile, and their `messageSid`s are noted. */
  isRemoving?: boolean
  /** Deliveries that had nothing more to do before they were removed, by id. */
  removedDeliveries?: ReadonlyMap<string, Delivery>
  /** The bot was on for all of them, or for all since this time, and no turn should be pending. */
  isAnswered?: boolean
  answeredSince?: Date
  /** Every event should be delivered or failed. */
  isDelivered?: boolean
  /** Texts that must not be in any log. */
  secrets?: readonly string[]
  logs?: readonly string[]
}

/** The broken rules, as sentences; empty when all hold. */
export async function breachesOf(query: Query, histories: Histories): Promise<string[]> {
  const stored = await readIncoming(query, histories)
  return [
    ...nothingLost(stored, histories.asked),
    ...nothingInvented(stored, histories.asked),
    ...(histories.isAnswered ? await allAnswered(query, histories) : []),
    ...(histories.isDelivered ? await deliveredToTheEnd(query, histories.accountId) : []),
    ...(histories.arrived ? await arrivalsAreTrue(query, histories, histories.arrived) : []),
    ...noLeaks(histories),
  ]
}

/** The acknowledged messages that are not there, for a copy of the database. */
export async function lostOf(query: Query, histories: Histories): Promise<string[]> {
  return nothingLost(await readIncoming(query, histories), histories.asked)
}

type Stored = Map<string, string[]>

async function readIncoming(query: Query, { accountId, asked, isRemoving }: Histories): Promise<Stored> {
  const { rows } = await query(
    `select message_sid as sid, id from messages where account_id = $1 and direction = 'incoming'`,
    [accountId],
  )
  if (isRemoving) {
    const removed = await query(
      `select s.sid, r.message_id as id from unnest($2::text[]) as s (sid)
      join removed_sids r on r.account_id = $1 and r.sid_hash = substr(sha256(convert_to(s.sid, 'UTF8')), 1, 16)
      where not exists (select from messages m where m.account_id = $1 and m.message_sid = s.sid and m.id = r.message_id)`,
      [accountId, [...new Set(asked.map(({ messageSid }) => messageSid))]],
    )
    rows.push(...removed.rows)
  }
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

/** N1: no turn is pending, and every message is answered. */
async function allAnswered(query: Query, { accountId, answeredSince }: Histories): Promise<string[]> {
  const { rows: owed } = await query('select count(*)::int as n from turns where account_id = $1', [accountId])
  return [
    ...(owed[0]?.n === 0 ? [] : [`N1: ${owed[0]?.n} turns are still owed`]),
    ...(await answeredOnce(query, accountId, { from: answeredSince })),
  ]
}

/** N1: every message that the bot was to answer is covered by one settled turn, unless its turn is pending. */
export async function answeredOnce(
  query: Query,
  accountId: string,
  { from, to }: { from?: Date | undefined; to?: Date | undefined },
): Promise<string[]> {
  const { rows } = await query(
    `select m.message_sid as sid, count(a.from_seq)::int as n
    from messages m
    left join answers a on a.account_id = m.account_id and a.contact_id = m.contact_id
      and m.seq between a.from_seq and a.to_seq
    left join turns t on t.account_id = m.account_id and t.contact_id = m.contact_id
    where m.account_id = $1 and m.direction = 'incoming' and m.kind = 'text'
      and m.created_at >= coalesce($2::timestamptz, '-infinity') and m.created_at < coalesce($3::timestamptz, 'infinity')
    group by m.account_id, m.id, m.message_sid, t.contact_id
    having count(a.from_seq) > 1 or (count(a.from_seq) = 0 and t.contact_id is null)`,
    [accountId, from, to],
  )
  return rows.map(({ sid, n }) => `N1: ${sid} is covered by ${n} settled turns`)
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

export type Delivery = { attempts: number; isSent: boolean; isSettled: boolean }

export async function readDeliveries(query: Query, accountId: string): Promise<Map<string, Delivery>> {
  const { rows } = await query(
    `select id, attempts, sent_at is not null as "isSent", due_at is null and lease_token is null as "isSettled"
    from deliveries where account_id = $1`,
    [accountId],
  )
  return new Map(rows.map(({ id, ...delivery }) => [String(id), delivery as Delivery]))
}

/** N2, D1, S1: every event is stored, has the same bytes at every attempt, arrived no more often than attempted, and `sent_at` means a 2xx. */
async function arrivalsAreTrue(
  query: Query,
  { accountId, kills = 0, removedDeliveries = new Map() }: Histories,
  arrived: readonly Arrived[],
): Promise<string[]> {
  const kept = new Map([...removedDeliveries, ...(await readDeliveries(query, accountId))])
  const hits = Map.groupBy(arrived, ({ messageId }) => messageId)
  const breaches: string[] = []
  for (const [id, events] of hits) {
    const attempts = kept.get(id)?.attempts
    if (attempts === undefined) breaches.push(`N2: ${id} arrived and is not kept`)
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
