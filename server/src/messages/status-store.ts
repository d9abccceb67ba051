/**
 * What became of a message that leaves is said by its delivery, and nowhere else. These are its words, for a statement in
 * which `d` is a row of `deliveries`, or nothing.
 *
 * `Sent`: it has arrived, which no later attempt can change. `Failed`: the last attempt has failed, or could not be made;
 * another one may mend it. `Waiting`: nothing has been tried.
 */
export const outgoingStatus = (d: string) =>
  `case when ${d}.sent_at is not null then 'Sent' when ${hasFailed(d)} then 'Failed' else 'Waiting' end`

/** Whether that is `Failed`, in words that an index can be found for. */
export const hasFailed = (d: string) => `${d}.error_category is not null and ${d}.sent_at is null`
