import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId, BroadcastId } from '../../../platform/ids.ts'
import { activeSince } from '../../messages/activity-store.ts'

/** Answers are counted for so many days after the message. */
export const answersDays = 7

/** How often an account is looked at. */
const everySeconds = 5

/** A conversation's time is that of the beginning of its statement, which ends within ten seconds. */
const overlapSeconds = 15

export type Mark = { accountId: AccountId; resentAt: Date | null }

/** Whether there may be an account to look at. */
export const mayScanResults =
  'exists (select from broadcast_marks where watched_until > now() or resent_at is not null)'

/** Claims an account, of any, that was not looked at for a while. Another process looks later if this one dies. */
export async function claimMark(db: Db): Promise<Mark[]> {
  const { rows } = await sql<Mark>`
    update broadcast_marks set looked_at = now()
    where ctid = any (array(
      select ctid from broadcast_marks
      where looked_at < now() - ${everySeconds} * interval '1 s' and (watched_until > now() or resent_at is not null)
      order by looked_at limit 1 for update skip locked
    ))
    returning account_id, resent_at
  `.execute(db)
  return rows
}

export type Answer = { broadcastId: BroadcastId; n: number; at: string }

/**
 * Finds recipients who wrote after their message, of conversations that something happened in since the last look: what
 * it costs depends on these, not on how many recipients there are. An answer belongs to the last broadcast before it.
 */
export async function findAnswers(tx: Tx, accountId: AccountId, limit: number): Promise<Answer[]> {
  const { rows } = await sql<Answer>`
    with active as materialized (
      select c.contact_id, c.incoming_seq
      from broadcast_marks k join conversations c on c.account_id = ${accountId}
        and c.state = any ('{open,snoozed,closed,empty}')
        and ${activeSince(sql`date_trunc('minute', k.counted_until - ${overlapSeconds} * interval '1 s')`)}
      where k.account_id = ${accountId} and c.incoming_seq > 0
    )
    select r.broadcast_id, r.n, m.created_at::text as at
    from active c cross join lateral (
      select * from broadcast_recipients r
      where r.account_id = ${accountId} and r.contact_id = c.contact_id and r.state in ('made', 'taken', 'sent')
        and r.answered_at is null and r.seq < c.incoming_seq
      offset 0
    ) as r cross join lateral (
      select i.seq, i.created_at from messages i
      where i.account_id = ${accountId} and i.contact_id = r.contact_id and i.seq > r.seq and i.direction = 'incoming'
        and i.kind = 'text'
      order by i.seq limit 1
    ) as m
    where m.created_at <= r.made_at + ${answersDays} * interval '1 day' and not exists (
      select from broadcast_recipients l
      where l.account_id = ${accountId} and l.contact_id = r.contact_id and l.seq > r.seq and l.seq < m.seq
    )
    limit ${limit}
  `.execute(tx)
  return rows
}

/** Locks these broadcasts, in the order of their ids. */
export async function lockBroadcasts(tx: Tx, accountId: AccountId, ids: BroadcastId[]): Promise<void> {
  await tx
    .selectFrom('broadcasts')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/** Writes the answers down and counts them, each once. The broadcasts are locked. */
export async function countAnswers(tx: Tx, accountId: AccountId, answers: Answer[]): Promise<void> {
  await sql`
    with answered as (
      update broadcast_recipients r set answered_at = g.at
      from json_to_recordset(${JSON.stringify(answers)}) as g ("broadcastId" text, n integer, at timestamptz)
      where r.account_id = ${accountId} and r.broadcast_id = g."broadcastId" and r.n = g.n and r.answered_at is null
        and r.contact_id is not null
      returning r.broadcast_id
    )
    update broadcasts b set answered = b.answered + a.n
    from (select broadcast_id, count(*)::integer as n from answered group by broadcast_id) as a
    where b.account_id = ${accountId} and b.id = a.broadcast_id
  `.execute(tx)
}

/** All answers before this transaction are counted. */
export async function moveMark(tx: Tx, accountId: AccountId): Promise<void> {
  await sql`update broadcast_marks set counted_until = now() where account_id = ${accountId}`.execute(tx)
}

/** What was sent again until that look is seen to; not what was sent again since. */
export async function endResent(db: Db, { accountId, resentAt }: Mark): Promise<void> {
  await sql`
    update broadcast_marks set resent_at = null where account_id = ${accountId} and resent_at = ${resentAt}
  `.execute(db)
}

/** Broadcasts of the account with failed recipients. */
export async function listFailed(db: Db, accountId: AccountId): Promise<BroadcastId[]> {
  const rows = await db
    .selectFrom('broadcasts')
    .select('id')
    .where('accountId', '=', accountId)
    .where('failed', '>', 0)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}
