import type { AccountId, ContactId } from '../platform/ids.ts'

export type EventKind = 'reply' | 'recharge'

/** How long a process that took work may leave it unsettled. If it dies, others take it after this time. */
export const leaseSeconds = 30

/** From so many failures in a row on, only one attempt at a time asks whether the receiver is back. */
export const breaksAfter = 10

/** An event that this process alone may deliver until its lease runs out, and where it goes. */
export type LeasedEvent = {
  accountId: AccountId
  /** What the receiver knows it by. */
  id: string
  kind: EventKind
  /** Of a reply: whose conversation it is part of, its number there, and who wrote it. */
  contactId: ContactId | null
  outgoingSeq: string | null
  author: string | null
  /** The bytes that every attempt sends. */
  payload: string
  /** How many attempts were made before. */
  attempts: number
  token: string
  /** By this process's clock, before the lease was asked for. */
  leasedAt: number
  url: string | null
  /** Sealed; the old one while it is still in use. */
  secret: string | null
  oldSecret: string | null
  isPaused: boolean
  /** It asks whether a receiver is back that failed too often. */
  isProbe: boolean
}

/** What `LeasedEvent` knows of the receiver, for a statement in which `e` is a row of `endpoints`, or nothing. */
export const receiverColumns = `
  e.url, e.secret, case when e.old_secret_until > now() then e.old_secret end as "oldSecret",
  e.paused_at is not null as "isPaused"`

/**
 * Whether the open delivery `q` keeps later ones of its conversation waiting: while it waits for its first attempt, and
 * while its time has come or it is on its way. One that failed and waits for its next attempt has stepped aside.
 */
export const isQueued = (q: string) => `${q}.due_at is not null and (${q}.attempts = 0 or ${q}.due_at <= now())`

/**
 * The part of a statement that writes down which events must leave, in the transaction of what caused them. It reads
 * `event`: account_id, id, kind, contact_id, outgoing_seq, author, payload, and a token if this process could deliver it
 * at once; then it is leased to this process from the start, and nobody has to look for it. Afterwards `owed` has all
 * of that and the receiver, with a token only where the lease was given: when the receiver is well, and nothing of the
 * same conversation must leave before.
 */
export const oweEvents = `
owed as materialized (
  select v.account_id, v.id, v.kind, v.contact_id, v.outgoing_seq, v.author, v.payload, ${receiverColumns},
    case when e.paused_at is null and e.failures_in_row < ${breaksAfter} and (
      select true from deliveries q
      where q.account_id = v.account_id and q.contact_id = v.contact_id and ${isQueued('q')}
      order by q.outgoing_seq
      limit 1
    ) is null then v.token end as token
  from event v left join endpoints e on e.account_id = v.account_id and e.kind = v.kind
), written as (
  insert into deliveries (account_id, id, kind, contact_id, outgoing_seq, author, payload, lease_token, leased_until)
  select account_id, id, kind, contact_id, outgoing_seq, author, payload, token,
    case when token is not null then now() + interval '${leaseSeconds} s' end
  from owed
)`
