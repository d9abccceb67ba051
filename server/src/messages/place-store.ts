/**
 * The part of a statement that takes places in the conversations of its people, making those that are missing. It
 * follows `meetPeople` and reads its `person`; afterwards the one row of `talk` has, in arrays, what their messages
 * need to know. In arrays, because joining two results compares each row of one with each of the other.
 *
 * The conversation's row gives out the numbers, and its lock makes two statements for one conversation follow each
 * other. Conversations are locked in the order of `s`, and after all contacts: sorting reads all people first.
 */
export function takePlaces(direction: 'incoming' | 'outgoing'): string {
  const isOutgoing = direction === 'outgoing'
  const outgoing = (messages: string) => (isOutgoing ? messages : '0')
  const campaign = (given: string) => (isOutgoing ? given : 'null')
  return `
moved as (
  update conversations c
  set last_seq = c.last_seq + p.messages, last_outgoing_seq = c.last_outgoing_seq + ${outgoing('p.messages')},
    channel = coalesce(p.channel, c.channel), campaign_id = coalesce(${campaign('p."campaignId"')}, c.campaign_id)
  from (select * from person order by s) as p
  where c.account_id = p."accountId" and c.contact_id = p.id
  returning p.s, p.messages, c.contact_id, c.last_seq, c.last_outgoing_seq, c.channel, c.quiet_ms
), begun as (
  insert into conversations as c (account_id, contact_id, channel, campaign_id, last_seq, last_outgoing_seq)
  select "accountId", id, channel, ${campaign('"campaignId"')}, messages, ${outgoing('messages')} from person
  where (select count(*) from moved) < (select count(*) from person) and s not in (select s from moved)
  order by s
  on conflict (account_id, contact_id) do update
  set last_seq = c.last_seq + excluded.last_seq, last_outgoing_seq = c.last_outgoing_seq + excluded.last_outgoing_seq,
    channel = coalesce(excluded.channel, c.channel), campaign_id = coalesce(excluded.campaign_id, c.campaign_id)
  returning contact_id, last_seq, last_outgoing_seq, channel, quiet_ms
), talk as materialized (
  select array_agg(s) as s, array_agg(contact_id) as contact_id, array_agg(channel) as channel,
    array_agg(last_seq - messages) as seq_before, array_agg(last_outgoing_seq - messages) as outgoing_before,
    array_agg(quiet_ms) as quiet_ms
  from (
    select s, messages, contact_id, last_seq, last_outgoing_seq, channel, quiet_ms from moved
    union all
    select p.s, p.messages, b.contact_id, b.last_seq, b.last_outgoing_seq, b.channel, b.quiet_ms
    from begun b join person p on p.id = b.contact_id
  ) as each_one
)`
}
