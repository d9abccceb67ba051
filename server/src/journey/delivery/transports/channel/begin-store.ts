import { sql } from 'kysely'
import type { LeasedEvent } from '../../../../outbox/enqueue-events.ts'
import type { Db, Tx } from '../../../../platform/database/db.ts'
import type { Address, Pace, Part, ProviderKind } from '../../../channels/kinds/kind.ts'
import { isHeld } from '../../../channels/store.ts'
import { failedWords } from './failure-store.ts'

/** A part of a message that is about to leave, and nobody else sends it: its lease is ours. */
export type BegunPart = {
  n: number
  part: Part
  address: Address
  attempts: number
  /** For how long it may leave. */
  secondsLeft: number
  /** It may have left before, and leaves once more; and whether it had left once more before that, because somebody asks for it. */
  isResend: boolean
  wasResent: boolean
  isLast: boolean
  /** Since when a part of this message has been with its receiver. */
  firstAcceptedAt: Date | null
  /** When in doubt it never leaves again by itself: it is one of many, or its owner wants to be asked. */
  isLeftToPeople: boolean
  /** It is one of many. */
  isBroadcast: boolean
}

/** A part of which its provider is asked whether it has it. */
export type DoubtfulPart = BegunPart & {
  begunAt: number
  /** How long until it is asked once more; null: what it says now decides. */
  againInSeconds: number | null
}

export type Begun =
  | { is: 'begun'; part: BegunPart; waitMs: number }
  /** It is not known whether it left, and its provider can be asked. */
  | { is: 'to be asked'; part: DoubtfulPart }
  /** There is no place for it now, or it may not leave yet. */
  | { is: 'waits'; seconds: number }
  /** Its file is to be read first, so that nothing can fail between the mark and the request. */
  | { is: 'needs its file' }
  /** It may not leave at all: the provider is not asked. */
  | { is: 'refused'; category: string; detail: string }
  /** It is not known whether it left, and it leaves no more by itself. */
  | { is: 'in doubt'; isBroadcast: boolean }
  /** Receipts say that the provider has all of it, though nobody has settled that. */
  | { is: 'taken' }
  | { is: 'lost' }

type Facts = {
  isOurs: boolean
  isRemoved: boolean
  isHeld: boolean
  whenInDoubt: 'resend' | 'person'
  stoppedScope: string | null
  hasAddress: boolean
  isOptedOut: boolean
  isBroadcast: boolean
  secondsLeft: number
  pausedSeconds: number
  pairSeconds: number
  /** What one of its parts failed with by a receipt, while nobody could settle that; nothing of it leaves any more. */
  failed: string | null
  /** The first part that the provider does not have; null: it has all of them. */
  n: number | null
  content: Part
  addressKind: Address['kind']
  address: string
  attempts: number
  begunAt: Date | null
  secondsSinceBegun: number | null
  secondsInDoubt: number | null
  isResent: boolean
  isLast: boolean
  firstAcceptedAt: Date | null
}

export type BeginRules = {
  kind: Pick<ProviderKind, 'cost' | 'leavesWithinSeconds' | 'ask'>
  perSecond: number
  pair: Pace['pair']
  /** The file of the message was looked for, and is there. */
  hasFile: boolean
}

/** How long nothing is heard of a part in doubt before it leaves once more, where its provider cannot be asked. */
export const doubtSeconds = 5

/**
 * Writes down that a part is about to leave, right before it does: what has that mark and no answer may have arrived, and
 * what has not never left. It takes the part's place in the channel's time and in that of its receiver, which all processes
 * share; one whose place is not now lets go of the lease and waits for it.
 */
export async function beginPart(db: Db, event: LeasedEvent, rules: BeginRules): Promise<Begun> {
  return db.transaction().execute(async (tx) => {
    const facts = await readFacts(tx, event, rules)
    const verdict = judge(facts, event, rules.kind)
    if (verdict) return verdict
    if (facts.content.hasFile && !rules.hasFile) return { is: 'needs its file' }
    const places = rules.kind.cost(facts.content)
    const aheadMs = facts.isBroadcast ? 0 : replyAheadMs
    const place = await takePlace(tx, event, { ...rules, places, aheadMs })
    if (!place) return { is: 'waits', seconds: await queueUp(tx, event, { ...rules, places }) }
    const part = partOf(facts, event, rules.kind)
    await markBegun(tx, event, { ...part, at: place.at })
    return { is: 'begun', part, waitMs: place.waitMs }
  })
}

function partOf(facts: Facts, { asked }: LeasedEvent, kind: BeginRules['kind']): BegunPart {
  const { content: part, addressKind, address, attempts, isLast, isResent, isBroadcast, firstAcceptedAt } = facts
  return {
    ...{ n: facts.n ?? 0, part, address: { kind: addressKind, address }, attempts, isLast, firstAcceptedAt },
    isResend: facts.secondsSinceBegun !== null,
    wasResent: isResent,
    // Who asks for it wants it to arrive, however old it is.
    secondsLeft: asked === null ? facts.secondsLeft : kind.leavesWithinSeconds,
    ...{ isBroadcast, isLeftToPeople: isLeftToPeople(facts) },
  }
}

/** The place of a reply may be so far ahead; the process waits with it for so long. That of a broadcast may not: it leaves room for replies. */
const replyAheadMs = 1_000

/** While a restored copy is held, everything waits. */
const heldSeconds = 60

async function readFacts(
  tx: Tx,
  { accountId, id, token, receiverId, contactId }: LeasedEvent,
  { pair, kind }: BeginRules,
): Promise<Facts> {
  const interval = 1 / pair.perSecond
  // Locked, so that whoever says at this moment that they take nothing more is waited for, and nothing begins after that is kept.
  const { rows } = await sql<Facts>`
    with k as materialized (
      select contact_id, stop_scope, pair_at from contact_channels
      where account_id = ${accountId} and contact_id = ${contactId} and channel_id = ${receiverId}
      for no key update
    )
    select d.lease_token is not distinct from ${token}::uuid and d.leased_until > now() as is_ours,
      c.state = 'removed' as is_removed, ${sql.raw(isHeld('c'))} as is_held, c.when_in_doubt,
      k.stop_scope as stopped_scope, k.contact_id is not null as has_address, p.opted_out_at is not null as is_opted_out,
      m.broadcast_id is not null as is_broadcast,
      extract(epoch from m.created_at - now())::float8 + ${kind.leavesWithinSeconds} as seconds_left,
      greatest(0, extract(epoch from r.paused_until - now()))::float8 as paused_seconds,
      greatest(0, extract(epoch from k.pair_at - now()) - ${(pair.burst - 1) * interval})::float8 as pair_seconds,
      q.n, q.content, q.address_kind, q.address, q.attempts, q.begun_at,
      extract(epoch from now() - q.begun_at)::float8 as seconds_since_begun,
      extract(epoch from now() - coalesce(q.doubt_since, q.begun_at))::float8 as seconds_in_doubt,
      q.resent_at is not null as is_resent,
      not exists (
        select from delivery_parts o where o.account_id = q.account_id and o.delivery_id = q.delivery_id and o.n <> q.n
          and o.accepted_at is null
      ) as is_last,
      (select ${failedWords} from delivery_parts o
        where o.account_id = d.account_id and o.delivery_id = d.id and o.failed_at is not null order by o.n limit 1) as failed,
      (select min(o.accepted_at) from delivery_parts o where o.account_id = d.account_id and o.delivery_id = d.id)
        as first_accepted_at
    from deliveries d
    join messages m on m.account_id = d.account_id and m.id = d.id
    join channels c on c.account_id = d.account_id and c.id = d.receiver_id
    join channel_rates r on r.account_id = c.account_id and r.channel_id = c.id
    join contacts p on p.account_id = d.account_id and p.id = d.contact_id
    left join k on true
    left join lateral (
      select * from delivery_parts o
      where o.account_id = d.account_id and o.delivery_id = d.id and o.accepted_at is null
      order by o.n limit 1
    ) q on true
    where d.account_id = ${accountId} and d.id = ${id} and d.receiver_id = ${receiverId} and d.contact_id = ${contactId}
    for update of d
  `.execute(tx)
  return rows[0] ?? nothing
}

/** Its contact was erased. */
const nothing = { isOurs: false } as Facts // nothing else of it is read

/**
 * Whether it may leave. A held copy knows nothing of what became of its messages, so it says nothing. What may have left before is in
 * doubt whatever keeps it from leaving again: to say that it was not sent could be wrong.
 */
function judge(facts: Facts, event: LeasedEvent, kind: BeginRules['kind']): Begun | undefined {
  if (!facts.isOurs) return { is: 'lost' }
  if (facts.failed !== null) return { is: 'refused', category: 'not_delivered', detail: facts.failed }
  if (facts.n === null) return { is: 'taken' }
  if (facts.isHeld && !facts.isRemoved) return { is: 'waits', seconds: heldSeconds }
  const refusal = whyNot(facts, event)
  // Whoever asked for it knows that it may arrive twice.
  const doubt =
    facts.secondsSinceBegun === null || event.asked !== null ? undefined : judgeDoubt(facts, event, kind, refusal)
  if (doubt) return doubt
  if (refusal) return { is: 'refused', ...refusal }
  const seconds = Math.max(facts.pausedSeconds, facts.pairSeconds)
  return seconds > 0 ? { is: 'waits', seconds } : undefined
}

/** A provider that can be asked is, whatever would keep the message from leaving now: it may have left before that. */
function judgeDoubt(
  facts: Facts,
  event: LeasedEvent,
  kind: BeginRules['kind'],
  refusal: WhyNot | undefined,
): Begun | undefined {
  const { isBroadcast, isResent, isRemoved, pausedSeconds, secondsInDoubt } = facts
  if (kind.ask && !isResent && !isRemoved) {
    if (pausedSeconds > 0) return { is: 'waits', seconds: pausedSeconds }
    return judgeAsking(facts, event, { ...kind, ask: kind.ask })
  }
  if (refusal || isResent || isLeftToPeople(facts)) return { is: 'in doubt', isBroadcast }
  const left = doubtSeconds - (secondsInDoubt ?? 0)
  return left > 0 ? { is: 'waits', seconds: left } : undefined
}

function judgeAsking(
  facts: Facts,
  event: LeasedEvent,
  kind: BeginRules['kind'] & { ask: NonNullable<ProviderKind['ask']> },
): Begun {
  const { begunAt, secondsSinceBegun } = facts
  if (begunAt === null || secondsSinceBegun === null) throw new Error('a part that has not begun is not in doubt')
  const [first = 0] = kind.ask.afterSeconds
  if (secondsSinceBegun < first) return { is: 'waits', seconds: first - secondsSinceBegun }
  const next = kind.ask.afterSeconds.find((seconds) => seconds > secondsSinceBegun)
  const againInSeconds = next === undefined ? null : next - secondsSinceBegun
  return { is: 'to be asked', part: { ...partOf(facts, event, kind), begunAt: begunAt.getTime(), againInSeconds } }
}

function isLeftToPeople({ isBroadcast, whenInDoubt }: Facts): boolean {
  return isBroadcast || whenInDoubt === 'person'
}

type WhyNot = { category: string; detail: string }

function whyNot(facts: Facts, { author, asked }: LeasedEvent): WhyNot | undefined {
  const because = (category: string, detail: string) => ({ category, detail })
  if (facts.isRemoved) return because('channel_removed', 'The channel was disconnected.')
  if (!facts.hasAddress) return because('no_address', 'They are not known on this channel.')
  if (facts.stoppedScope === 'all') return because('stopped', 'They take nothing from this channel.')
  if (facts.isOptedOut && author !== 'person') return because('opted_out', 'They have opted out.')
  if (facts.secondsLeft <= 0 && asked === null) return because('expired', 'It waited for too long.')
  return undefined
}

/**
 * For how many seconds what has begun may not leave, asked again by whoever has waited for its place: another message may have been told
 * so by the provider meanwhile. Undefined: it may. Who takes nothing more is told to whoever begins it anew.
 */
export async function findPause(
  db: Db,
  { accountId, receiverId, contactId }: LeasedEvent,
): Promise<number | undefined> {
  const { rows } = await sql<{ seconds: number; isStopped: boolean }>`
    select greatest(0, extract(epoch from paused_until - now()))::float8 as seconds, exists (
      select from contact_channels
      where account_id = ${accountId} and contact_id = ${contactId} and channel_id = ${receiverId} and stop_scope = 'all'
    ) as is_stopped
    from channel_rates where account_id = ${accountId} and channel_id = ${receiverId}
  `.execute(db)
  const { seconds = 0, isStopped = false } = rows[0] ?? {}
  return seconds > 0 || isStopped ? seconds : undefined
}

/** When a part leaves, and how long that is from now. */
type TakenPlace = { at: string; waitMs: number }

/**
 * Its place; undefined: it has none soon enough, or the channel has been told to wait since the facts were read. Places are apart by the
 * channel's rate, so it is never exceeded.
 */
async function takePlace(
  tx: Tx,
  { accountId, receiverId, contactId }: LeasedEvent,
  { perSecond, pair, places, aheadMs }: BeginRules & { places: number; aheadMs: number },
): Promise<TakenPlace | undefined> {
  const apart = sql`${places / perSecond} * interval '1 s'`
  const { rows } = await sql<TakenPlace>`
    update channel_rates set next_at = greatest(next_at, clock_timestamp()) + ${apart}
    where account_id = ${accountId} and channel_id = ${receiverId}
      and next_at <= clock_timestamp() + ${aheadMs} * interval '1 ms'
      and (paused_until is null or paused_until <= clock_timestamp())
    returning (next_at - ${apart})::text as at,
      greatest(0, extract(epoch from next_at - ${apart} - clock_timestamp()) * 1000)::float8 as wait_ms
  `.execute(tx)
  const place = rows[0]
  if (!place) return undefined
  await sql`
    update contact_channels set pair_at = greatest(pair_at, now()) + ${1 / pair.perSecond} * interval '1 s'
    where account_id = ${accountId} and contact_id = ${contactId} and channel_id = ${receiverId}
  `.execute(tx)
  return place
}

/**
 * Those that wait come one after another, so that a thousand of them are not claimed anew for every place; after what the provider has
 * asked for.
 */
async function queueUp(
  tx: Tx,
  { accountId, receiverId }: LeasedEvent,
  { perSecond, places }: BeginRules & { places: number },
): Promise<number> {
  const apart = sql`${places / perSecond} * interval '1 s'`
  const { rows } = await sql<{ seconds: number }>`
    update channel_rates set queued_at = greatest(queued_at, next_at, paused_until) + ${apart}
    where account_id = ${accountId} and channel_id = ${receiverId}
    returning extract(epoch from queued_at - ${apart} - clock_timestamp())::float8 as seconds
  `.execute(tx)
  return Math.max(0, rows[0]?.seconds ?? 0)
}

async function markBegun(
  tx: Tx,
  { accountId, id }: LeasedEvent,
  { n, isResend, at }: { n: number; isResend: boolean; at: string },
): Promise<void> {
  await sql`
    update delivery_parts
    set begun_at = ${at}, error_code = null, error_detail = null,
      resent_at = case when ${isResend} then ${at}::timestamptz else resent_at end
    where account_id = ${accountId} and delivery_id = ${id} and n = ${n}
  `.execute(tx)
}
