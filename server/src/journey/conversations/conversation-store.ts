import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, CampaignId, ContactId, EntryId, UserId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'

export type ConversationRef = { accountId: AccountId; contactId: ContactId }

/** Until the transaction ends, nobody else changes who answers, and no message takes a sequence number. */
export async function lockConversation(tx: Tx, { accountId, contactId }: ConversationRef) {
  return tx
    .selectFrom('conversations as c')
    .innerJoin('accounts as a', 'a.id', 'c.accountId')
    .select(['c.handler', 'c.handlerReason', 'c.handlerUserId', 'c.epoch', 'c.state', 'a.botActive'])
    .select(
      sql<boolean>`exists (
        select from contact_channels k where k.account_id = c.account_id and k.contact_id = c.contact_id
      )`.as('isOnChannels'),
    )
    .where('c.accountId', '=', accountId)
    .where('c.contactId', '=', contactId)
    .forUpdate('c')
    .executeTakeFirst()
}

/** Makes the conversation of a contact, where there is none: nobody sees it before there is a message in it. */
export async function insertConversation(tx: Tx, { accountId, contactId }: ConversationRef): Promise<void> {
  await sql`
    insert into conversations (account_id, contact_id, state, is_simulated)
    select account_id, id, 'empty', is_simulated from contacts where account_id = ${accountId} and id = ${contactId}
    on conflict (account_id, contact_id) do nothing
  `.execute(tx)
}

/** Why a conversation waits whose contact wants to be erased. */
export const askedToBeDeleted = 'asked_to_be_deleted'

export type Handler = {
  handler: 'bot' | 'person' | 'off'
  reason: string | null
  /** The user of the app who decided it. */
  userId?: UserId | null
}

/** Fields to change in a conversation; absent ones stay as they are. */
export type ConversationChange = {
  /** Who answers. A change resets the bot's offers and its count of misses. */
  handler?: Handler | undefined
  /** The bot answers only messages that come after this change. */
  ignoresOlderMessages?: boolean | undefined
  /** The bot may answer messages from this one on, also if they were ignored before. */
  answersAgainFrom?: bigint | undefined
  /** A person of the account has written. */
  personWrote?: boolean | undefined
  /** Why the contact waits for a person; the waiting time counts from the first reason. Null: they wait no more. */
  waiting?: string | null | undefined
  /** It is open, and assigned to this user unless it was to somebody. Null: to nobody else than before. */
  claimedBy?: UserId | null | undefined
  /** The contact no longer waits, if this is why they do. */
  waitsNoMoreFor?: string | undefined
  /** What the bot remembers of its last answers. */
  botState?: { misses: number; offered: EntryId[] } | undefined
  campaignId?: CampaignId | undefined
  /** How long an answer waits for more messages. Kept here so that intake need not read the campaign. */
  debounce?: { quietMs: number; maxWaitMs: number } | undefined
}

export async function changeConversation(
  tx: Tx,
  { accountId, contactId }: ConversationRef,
  change: ConversationChange,
) {
  const { handler, ignoresOlderMessages, answersAgainFrom, personWrote, waiting, waitsNoMoreFor, claimedBy } = change
  const { botState, campaignId, debounce } = change
  await tx
    .updateTable('conversations')
    .set({
      epoch: handler ? sql`epoch + 1` : sql`epoch`,
      ...(handler && { handler: handler.handler, handlerReason: handler.reason, handlerSince: sql`now()` }),
      ...(handler && { handlerUserId: handler.userId ?? null, misses: 0, offered: [] }),
      ...botState,
      ...debounce,
      ...(campaignId && { campaignId }),
      ...(ignoresOlderMessages && { handedBackSeq: sql`last_seq` }),
      ...(answersAgainFrom !== undefined && {
        handedBackSeq: sql`least(handed_back_seq, ${answersAgainFrom - 1n}::bigint)`,
      }),
      ...(personWrote && { personAt: sql`now()` }),
      ...(waitsNoMoreFor !== undefined && {
        waitingSince: sql`case when waiting_reason <> ${waitsNoMoreFor} then waiting_since end`,
        waitingReason: sql`nullif(waiting_reason, ${waitsNoMoreFor})`,
      }),
      ...(waiting === null && { waitingSince: null, waitingReason: null }),
      ...(waiting && { waitingSince: sql`coalesce(waiting_since, now())`, waitingReason: waiting }),
      // Who waits for a person is not done, even if somebody has closed it in the meantime.
      ...(waiting && { state: sql`case state when 'closed' then 'open' else state end` }),
      // One without messages is opened by the next message.
      ...(claimedBy !== undefined && {
        state: sql`case state when 'empty' then state else 'open' end`,
        snoozedUntil: null,
      }),
      ...(claimedBy && { assigneeId: firstMember(accountId, [sql`assignee_id`, sql`${claimedBy}`]) }),
    })
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .execute()
}

/** The first of these who is a member of the team now: not removed, and no guest. */
function firstMember(accountId: AccountId, userIds: RawBuilder<unknown>[]) {
  const member = (id: RawBuilder<unknown>) =>
    sql`(select u.id from users u where u.account_id = ${accountId} and u.id = ${id} and u.email is not null)`
  return sql<string | null>`coalesce(${sql.join(userIds.map(member))})`
}

export type ConversationState = {
  handler: 'bot' | 'person' | 'off'
  reason: string | null
  since: Date | null
  waitingSince: Date | null
  waitingReason: string | null
  /** Since when the contact is opted out, and who decided it. */
  optedOutAt: Date | null
  optedOutBy: 'contact' | 'operator' | 'returned' | null
}

export async function readState(db: Db, { accountId, contactId }: ConversationRef): Promise<ConversationState> {
  return db
    .selectFrom('conversations as c')
    .innerJoin('contacts as p', (join) =>
      join.onRef('p.accountId', '=', 'c.accountId').onRef('p.id', '=', 'c.contactId'),
    )
    .select(['c.handler', 'c.handlerReason as reason', 'c.handlerSince as since', 'c.waitingSince', 'c.waitingReason'])
    .select(['p.optedOutAt', 'p.optedOutBy'])
    .where('c.accountId', '=', accountId)
    .where('c.contactId', '=', contactId)
    .executeTakeFirstOrThrow(() => noConversation({ contactId }))
}

export function noConversation({ contactId }: Pick<ConversationRef, 'contactId'>): Refusal {
  return new Refusal('CONTACT_NOT_FOUND', `There is no conversation with ${contactId} in this account.`)
}

/** What happens in a conversation besides messages. `userId` is null when no user of the app did it. */
export type ConversationEvent = {
  kind:
    | ('taken over' | 'handed back' | 'switched off' | 'asked for a person' | 'opted out' | 'opted in')
    | ('assigned' | 'unassigned' | 'closed' | 'reopened' | 'snoozed' | 'snooze ended' | 'blocked' | 'unblocked')
    | ('signed in' | 'left e-mail' | 'asked to be deleted' | 'not deleted')
  userId: UserId | null
  /** To whom it was `assigned`. */
  toUserId?: UserId | null
  /** Until when it was `snoozed`, an ISO time. */
  until?: string | null
}

/**
 * Notes an event, in the transaction of what it tells about. It comes after the last message there is now, so it is
 * noted before a message that follows from it. Without a conversation nothing is noted.
 */
export async function noteEvent(
  tx: Tx,
  { accountId, contactId }: ConversationRef,
  { kind, userId, toUserId = null, until = null }: ConversationEvent,
): Promise<void> {
  await sql`
    insert into conversation_events (account_id, contact_id, seq, kind, user_id, to_user_id, until, at)
    select account_id, contact_id, last_seq, ${kind}, ${userId}, ${toUserId}, ${until}::timestamptz, clock_timestamp()
    from conversations where account_id = ${accountId} and contact_id = ${contactId}
  `.execute(tx)
}
