/**
 * The status of an outgoing message is derived from its delivery, and stored nowhere else. For a statement in which `d`
 * is a row of `deliveries`, or null.
 *
 * `Sent`: it arrived, which no later attempt can change. `Failed`: the last attempt failed or could not be made;
 * another one may succeed. `Waiting`: no attempt was made.
 */
export const outgoingStatus = (d: string) =>
  `case when ${d}.sent_at is not null then 'Sent' when ${hasFailed(d)} then 'Failed' else 'Waiting' end`

/** Whether the status is `Failed`, written so that PostgreSQL can use an index. */
export const hasFailed = (d: string) => `${d}.error_category is not null and ${d}.sent_at is null`

/**
 * Whether it has failed to arrive. What is held back with its built-in channel has not: it leaves by itself when the channel goes on.
 */
export const isUndelivered = (d: string) =>
  `${hasFailed(d)} and (${d}.error_category <> 'endpoint_paused' or ${d}.receiver_id not like 'chn\\_%')`

/** Whether it is left to a person to say whether it arrived. */
export const isLeftInDoubt = (d: string) => `${hasFailed(d)} and ${d}.error_category = 'in_doubt'`

/** How long a message that its provider has taken may still turn out not to have arrived. */
export const receiptWithin = '24 hours'

/**
 * When it arrived, for what counts: null while its provider may still say that it did not. What was not heard of in that time has arrived,
 * whatever is said later; then `awaits_receipt_until` stays with it.
 */
export const arrivedAt = (d: string) =>
  `case when ${d}.awaits_receipt_until is null then ${d}.sent_at
    when ${d}.awaits_receipt_until < now() then coalesce(${d}.sent_at, ${d}.awaits_receipt_until - interval '${receiptWithin}') end`

/** Whether it was given up, for what counts. */
export const isGivenUp = (d: string) =>
  `(${d}.sent_at is null and ${d}.due_at is null and ${d}.lease_token is null and ${d}.awaits_receipt_until is null)`

/** When the next attempt of `d` by itself is due. */
export const nextAttempt = (d: string) => `case when ${d}.asked is null then ${d}.due_at else ${d}.own_due_at end`

/** Whether an attempt that a person waits for is on its way, or any is being made. */
export const isOnItsWay = (d: string) =>
  `coalesce(${d}.due_at is not null and (${d}.asked = 'now' or ${d}.leased_until > now()), false)`
