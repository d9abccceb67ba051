import { type RawBuilder, sql } from 'kysely'

/**
 * When something was last said in a conversation: `active_at`, which every message changes and no index has, and `active_step`, which
 * is indexed and the same for a quarter of an hour: its end. How long a step is, the function `activity_step` of the database says
 * (migration 64), and only this file names the column (decision 72).
 *
 * A step is after its activity, so whatever is active since a time has a later step. Conversations without a message since migration 64
 * have the minute of their last one, which ends before it: hence bounds are whole minutes. Steps and minutes are both in the order of
 * their times, and the steps are all later than the minutes.
 */
export const activeNow = 'active_at = now(), active_step = activity_step(now())'

/** Conversations `c` with activity since then, which is a whole minute. Each of the steps since then is read whole. */
export function activeSince(minute: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`c.active_step >= ${minute} and c.active_at >= ${minute}`
}

/** Conversations `c` without activity since then. */
export function activeBefore(minute: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`c.active_step <= activity_step(${minute}) and c.active_at < ${minute}`
}

/** Conversations `c` that follow this one where the latest come first. */
export function followsInTime(time: RawBuilder<unknown>, contactId: string): RawBuilder<boolean> {
  return sql<boolean>`c.active_step <= activity_step(${time}) and (c.active_at, c.contact_id) < (${time}, ${contactId})`
}

/** In the order of their activity: along the index, and the conversations of a step are sorted when they are read. */
export const latestFirst = sql`c.active_step desc, c.active_at desc, c.contact_id desc`
export const earliestFirst = sql`c.active_step, c.active_at`

/** What sorting a step needs of a conversation, and where its row is: sorting whole rows takes half as long again. */
export const placeColumns = sql`c.ctid, c.contact_id, c.active_step, c.active_at`

/** For who asks whether there is any: along the index, without sorting. */
export const alongSteps = sql`c.active_step`
