import { activeNow } from './activity-store.ts'

/** A message of the contact ends what a user has closed or put off. Where it is open nothing changes, and no index. */
export const opened = `state = 'open', snoozed_until = null`

/** A message that we send opens it only where there was none left to show. */
export const shown = `state = case c.state when 'empty' then 'open' else c.state end`

/**
 * The part of a statement that takes sequence numbers in the conversations of its contacts, and makes missing
 * conversations. It follows `findOrCreateContacts` and reads its `contact`; afterwards the one row of `conversation`
 * has, in arrays, what the messages need: a join of two results would compare each row of one with each of the other.
 *
 * Reads the CTE `contact`. Gives `moved`, `begun` and `conversation`, of which the rest of the statement reads
 * `conversation`.
 *
 * The conversation's row has the last number, and its lock serialises statements for one conversation. Conversations
 * are locked in the order of `s`, and after all contacts: sorting reads all of `contact` first.
 */
export function takeSequenceNumbers(direction: 'incoming' | 'outgoing'): string {
  const isOutgoing = direction === 'outgoing'
  const out = (text: string) => (isOutgoing ? text : '')
  const into = (text: string) => (isOutgoing ? '' : text)
  return `
moved as (
  update conversations c
  set last_seq = c.last_seq + p.messages, ${activeNow},
    channel = coalesce(p.channel, c.channel)${into(`,
    incoming_seq = c.last_seq + p.messages, ${opened}`)}${out(`,
    last_outgoing_seq = c.last_outgoing_seq + p.messages, campaign_id = coalesce(p."campaignId", c.campaign_id), ${shown}`)}
  from (select * from contact order by s) as p
  where c.account_id = p."accountId" and c.contact_id = p.id
  returning p.s, c.contact_id, c.last_seq - p.messages as seq_before, c.quiet_ms${out(`,
    c.last_outgoing_seq - p.messages as outgoing_before, c.channel, c.is_simulated`)}
), begun as (
  insert into conversations as c (account_id, contact_id, channel, last_seq${into(', incoming_seq')}${out(', last_outgoing_seq, campaign_id')})
  select "accountId", id, channel, messages${into(', messages')}${out(', messages, "campaignId"')} from contact
  where (select count(*) from moved) < (select count(*) from contact) and s not in (select s from moved)
  order by s
  on conflict (account_id, contact_id) do update
  set last_seq = c.last_seq + excluded.last_seq, ${activeNow},
    channel = coalesce(excluded.channel, c.channel)${into(`,
    incoming_seq = c.last_seq + excluded.last_seq, ${opened}`)}${out(`,
    last_outgoing_seq = c.last_outgoing_seq + excluded.last_outgoing_seq,
    campaign_id = coalesce(excluded.campaign_id, c.campaign_id), ${shown}`)}
  returning contact_id, last_seq, quiet_ms${out(', last_outgoing_seq, channel, is_simulated')}
), conversation as materialized (
  select array_agg(s) as s, array_agg(contact_id) as contact_id, array_agg(seq_before) as seq_before,
    array_agg(quiet_ms) as quiet_ms${out(', array_agg(outgoing_before) as outgoing_before, array_agg(channel) as channel, array_agg(is_simulated) as is_simulated')}
  from (
    select * from moved
    union all
    select p.s, b.contact_id, b.last_seq - p.messages, b.quiet_ms${out(', b.last_outgoing_seq - p.messages, b.channel, b.is_simulated')}
    from begun b join contact p on p.id = b.contact_id
  ) as each_one
)`
}
