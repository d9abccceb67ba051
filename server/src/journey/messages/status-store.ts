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

/** When the next attempt of `d` by itself is due. */
export const nextAttempt = (d: string) => `case when ${d}.asked is null then ${d}.due_at else ${d}.own_due_at end`

/** Whether an attempt that a person waits for is on its way, or any is being made. */
export const isOnItsWay = (d: string) =>
  `coalesce(${d}.due_at is not null and (${d}.asked = 'now' or ${d}.leased_until > now()), false)`
