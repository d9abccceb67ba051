/*
 * The outbox: events that must be delivered to the receivers of an account are rows of `deliveries`. This file is the
 * only writer of new rows; `dispatcher.ts` is how a process passes them to its own delivery without a claim.
 */

import type { AccountId, ContactId, ReceiverId } from '../platform/ids.ts'

/** How long a process may leave a leased event unsettled. If the process dies, others claim the event after this. */
export const leaseSeconds = 30

/** After so many failures in a row the circuit breaker opens: only one attempt at a time probes the receiver. */
export const breaksAfter = 10

/** An event that this process alone may deliver until its lease runs out, and its receiver. */
export type LeasedEvent = {
  accountId: AccountId
  /** The id that the receiver sees. */
  id: string
  receiverId: ReceiverId
  /** The contact whose conversation a reply is part of, its sequence number there, and who wrote it. */
  contactId: ContactId | null
  outgoingSeq: string | null
  author: string | null
  /** The bytes that every attempt sends. */
  payload: string
  /** The `traceparent` of the request that caused it. */
  trace: string | null
  /** How many attempts were made before, and how many of them a person had asked for. */
  attempts: number
  askedAttempts: number
  /** A person has asked for this attempt and waits for it, or for that of many events; null: it comes by itself. */
  asked: 'now' | 'in turn' | null
  token: string
  /** The time by the clock of this process, before the statement that leases it. */
  leasedAt: number
  url: string | null
  /** The sealed secret, and the old one while it is still in use. */
  secret: string | null
  oldSecret: string | null
  isPaused: boolean
  /** It probes a receiver whose circuit breaker is open. */
  isProbe: boolean
}

/** The columns of the receiver in `LeasedEvent`, for a statement in which `e` is a row of `receivers`, or null. */
export const receiverColumns = `
  e.url, e.secret, case when e.old_secret_until > now() then e.old_secret end as "oldSecret",
  e.paused_at is not null as "isPaused"`

/**
 * Whether the open delivery `q` must be sent before later ones of its conversation: while it waits for its first
 * attempt, and while it is due or in flight. One that failed and waits for its next attempt does not hold up later
 * ones.
 */
export const isQueued = (q: string) => `${q}.due_at is not null and (${q}.attempts = 0 or ${q}.due_at <= now())`

/**
 * The part of a statement that inserts the events to deliver, in the transaction of what caused them. It reads `event`:
 * account_id, id, receiver_id, contact_id, outgoing_seq, author, payload, trace, and a token if this process could deliver
 * it at once; then the event is leased to this process from the start, without a claim. Afterwards `enqueued` has all of that and
 * the receiver, with a token only where the lease was given: when the receiver is neither paused nor failing, and no
 * other event of the same conversation must be sent before.
 *
 * Reads the CTE `event`. Gives `enqueued` and `written`, of which the rest of the statement reads `enqueued`.
 */
export const enqueueEvents = `
enqueued as materialized (
  select v.account_id, v.id, v.receiver_id, v.contact_id, v.outgoing_seq, v.author, v.payload, v.trace, ${receiverColumns},
    case when e.paused_at is null and e.failures_in_row < ${breaksAfter} and (
      select true from deliveries q
      where q.account_id = v.account_id and q.contact_id = v.contact_id and ${isQueued('q')}
      order by q.outgoing_seq
      limit 1
    ) is null then v.token end as token
  from event v left join receivers e on e.account_id = v.account_id and e.id = v.receiver_id
), written as (
  insert into deliveries (account_id, id, receiver_id, contact_id, outgoing_seq, author, payload, trace, lease_token,
    leased_until)
  select account_id, id, receiver_id, contact_id, outgoing_seq, author, payload, trace, token,
    case when token is not null then now() + interval '${leaseSeconds} s' end
  from enqueued
)`

/**
 * The same for what is sent when it is stored, because whoever it is for comes and reads it: it is never due, so nobody claims it, and
 * nothing waits for it. Reads the CTE `event`, without a token. Gives `enqueued`.
 */
export const storeSent = `
enqueued as (
  insert into deliveries (account_id, id, receiver_id, contact_id, outgoing_seq, author, payload, trace, due_at, sent_at)
  select account_id, id, receiver_id, contact_id, outgoing_seq, author, payload, trace, null, now() from event
  returning id
), written as (
  update receivers e set last_success_at = now()
  from (
    select r.account_id, r.id from event v join receivers r on r.account_id = v.account_id and r.id = v.receiver_id
    where r.last_success_at is null or r.last_success_at < now() - interval '1 minute'
    for update of r skip locked
  ) as q
  where e.account_id = q.account_id and e.id = q.id
)`
