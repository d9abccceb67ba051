import type { Pool } from 'pg'
import { prepared } from '../../../../platform/database/prepared.ts'
import type { AccountId, ContactId } from '../../../../platform/ids.ts'
import type { DeliveryError } from '../../../messages/store.ts'

export type Behaviour = 'ok' | 'error 503' | 'gone 410' | 'silent' | 'hang up' | 'busy 429'

/** How the simulated receiver answers the next post; one that was set for a number of posts is used up by one. */
export async function takeBehaviour(pool: Pool, accountId: AccountId): Promise<Behaviour> {
  const { rows } = await pool.query<{ behaviour: Behaviour }>(prepared(statements, 'take-behaviour', [accountId]))
  return rows[0]?.behaviour ?? 'ok'
}

const takingBehaviour = `
with present as materialized (
  select behaviour from simulators where account_id = $1 for update
), used as (
  update simulators
  set behaviour = case when times_left = 1 then 'ok' else behaviour end, times_left = nullif(times_left - 1, 0)
  where account_id = $1 and times_left is not null and exists (select from present)
)
select behaviour from present
`

export type SimulatedPost = {
  accountId: AccountId
  contactId: ContactId
  messageId: string
  outcome: string
  durationMs: number
  post: {
    headers: { name: string; value: string }[]
    body: string
    fault: DeliveryError | null
    isSignatureValid: boolean
  }
}

/** Keeps a post, unless the contact was erased meanwhile. */
export async function keepSimulatedPost(pool: Pool, given: SimulatedPost): Promise<void> {
  const { accountId, contactId, messageId, outcome, durationMs, post } = given
  const values = [accountId, contactId, messageId, outcome, durationMs, JSON.stringify(post)]
  await pool.query(prepared(statements, 'keep-simulated-post', values))
}

const keepingPost = `
insert into simulator_events (account_id, contact_id, kind, message_id, outcome, duration_ms, post)
select account_id, id, 'reply', $3, $4, $5, $6 from contacts where account_id = $1 and id = $2 for key share
`

export const statements = { 'take-behaviour': takingBehaviour, 'keep-simulated-post': keepingPost }
