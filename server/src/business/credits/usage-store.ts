import { sql } from 'kysely'
import type { Tx } from '../../platform/database/db.ts'
import type { AccountId, ContactId, LedgerId } from '../../platform/ids.ts'
import type { Turn } from './hold-store.ts'

/** A message that is paid for, identified by its number in its conversation. */
type MessageRow = {
  entryId: LedgerId
  contactId: ContactId
  seq: string
  units: string
  description: string
  actor: string
}

export type UsageRow = {
  accountId: AccountId
  /** The answer whose hold ends; it is charged what was held for it, or nothing. */
  answer: (Omit<Turn, 'accountId'> & { entryId: LedgerId; description: string; isCharged: boolean }) | undefined
  messages: MessageRow[]
}

/**
 * `balanceAfter`: null where nothing was charged. `isShort`: the balance does not cover it, so nothing was, and the transaction has to
 * be given up, because the hold is gone in it. `requestsRecharge`: it left less than the threshold, and there was no request since the
 * balance was last at the threshold. `mayBeShort`: it left the threshold or more, which may still be less than the price of an answer.
 * Amounts are in units.
 */
export type UsageOutcome = {
  amount: string
  balanceAfter: string | null
  isShort: boolean
  requestsRecharge: boolean
  mayBeShort: boolean
}

/** Ends the hold for an answer and writes what is used: a movement for the answer, if it is charged, and one for each message. */
export async function writeUsage(tx: Tx, { accountId, answer, messages }: UsageRow): Promise<UsageOutcome> {
  const { contactId, fromSeq, entryId, description, isCharged = false } = answer ?? {}
  const { rows } = await sql<UsageOutcome>`
    with hold as (
      delete from holds
      where account_id = ${accountId} and contact_id = ${contactId ?? null} and from_seq = ${fromSeq ?? null}
      returning contact_id, from_seq, amount, for_message
    ), movement as materialized (
      select 1 as n, ${entryId ?? null}::text as id, contact_id, from_seq, amount - for_message as amount,
        ${description ?? null}::text as description, 'bot' as actor
      from hold where ${isCharged}::boolean and amount > for_message
      union all
      select 1 + n, "entryId", "contactId", seq, units, description, actor
      from rows from (json_to_recordset(${JSON.stringify(messages)}) as (
        "entryId" text, "contactId" text, seq bigint, units bigint, description text, actor text
      )) with ordinality as m ("entryId", "contactId", seq, units, description, actor, n)
    ), used as materialized (
      select coalesce(sum(amount), 0)::bigint as amount, count(*) as movements,
        coalesce((select amount from hold), 0) as held
      from movement
    ), moved as (
      update balances b
      set balance = b.balance - u.amount, held = b.held - u.held, version = b.version + u.movements,
        recharge_asked_version = case when u.movements = 0 then b.recharge_asked_version
          when b.balance - u.amount < b.recharge_threshold then
            case when b.balance >= b.recharge_threshold then b.version + u.movements
              else coalesce(b.recharge_asked_version, b.version + u.movements) end end
      from used u
      where b.account_id = ${accountId} and (u.movements > 0 or u.held > 0) and b.balance - u.amount >= b.held - u.held
      returning b.balance, b.version, b.recharge_asked_version, b.recharge_threshold
    ), noted as (
      insert into ledger (account_id, id, n, kind, payer_id, payer_purse, payee_id, payee_purse, amount, balance_after,
        description, actor, contact_id, from_seq)
      select ${accountId}, m.id, b.version - u.movements + row_number() over by_n, 'usage', ${accountId}, 'credits',
        ${accountId}, 'usage', m.amount, b.balance + u.amount - sum(m.amount) over by_n, m.description, m.actor,
        m.contact_id, m.from_seq
      from moved b cross join used u cross join movement m
      window by_n as (order by m.n)
    )
    select u.amount, case when u.movements > 0 then b.balance end as balance_after,
      u.movements > 0 and b.version is null as is_short,
      coalesce(u.movements > 0 and b.recharge_asked_version = b.version, false) as requests_recharge,
      coalesce(u.movements > 0 and b.balance >= b.recharge_threshold, false) as may_be_short
    from used u left join moved b on true
  `.execute(tx)
  const [outcome] = rows
  if (!outcome) throw new Error('a sum has no row')
  return outcome
}
