import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, CampaignId, ContactId, EntryId } from '../../platform/ids.ts'

export type ConversationRef = { accountId: AccountId; contactId: ContactId }

/** Held until the transaction ends: nobody else changes who answers, and no message takes a number. */
export async function lockConversation(tx: Tx, { accountId, contactId }: ConversationRef) {
  return tx
    .selectFrom('conversations as c')
    .innerJoin('accounts as a', 'a.id', 'c.accountId')
    .select(['c.handler', 'c.epoch', 'a.botActive'])
    .where('c.accountId', '=', accountId)
    .where('c.contactId', '=', contactId)
    .forUpdate('c')
    .executeTakeFirst()
}

export type Handler = { handler: 'bot' | 'person' | 'off'; reason: string | null }

/** What changes in a conversation; what is left out stays. */
export type Change = {
  /** Who answers. What the bot had offered and counted ends with it. */
  handler?: Handler | undefined
  /** From here on, the bot answers only what is new. */
  handsBack?: boolean | undefined
  /** A person of ours has written. */
  personWrote?: boolean | undefined
  /** Why the contact waits for a person, since the first time that this was said; null: they wait no more. */
  waiting?: string | null | undefined
  /** If they wait, it is no more because credits are missing. */
  endsShortage?: boolean | undefined
  /** What the bot must remember of what it said. */
  said?: { misses: number; offered: EntryId[] } | undefined
  campaignId?: CampaignId | undefined
  /** Kept here so that whoever takes a message in need not know its campaign. */
  waits?: { quietMs: number; maxWaitMs: number } | undefined
}

export async function changeConversation(tx: Tx, { accountId, contactId }: ConversationRef, change: Change) {
  const { handler, handsBack, personWrote, waiting, endsShortage, said, campaignId, waits } = change
  await tx
    .updateTable('conversations')
    .set({
      epoch: handler ? sql`epoch + 1` : sql`epoch`,
      ...(handler && { handler: handler.handler, handlerReason: handler.reason, handlerSince: sql`now()` }),
      ...(handler && { misses: 0, offered: [] }),
      ...said,
      ...waits,
      ...(campaignId && { campaignId }),
      ...(handsBack && { handedBackSeq: sql`last_seq` }),
      ...(personWrote && { personAt: sql`now()` }),
      ...(endsShortage && {
        waitingSince: sql`case when waiting_reason <> 'no_credits' then waiting_since end`,
        waitingReason: sql`nullif(waiting_reason, 'no_credits')`,
      }),
      ...(waiting === null && { waitingSince: null, waitingReason: null }),
      ...(waiting && { waitingSince: sql`coalesce(waiting_since, now())`, waitingReason: waiting }),
    })
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .execute()
}

/** Who a contact is outside, if they ever wrote or were written to. */
export async function findExternalId(db: Db, { accountId, contactId }: ConversationRef): Promise<string | undefined> {
  const row = await db
    .selectFrom('conversations as c')
    .innerJoin('contacts as p', (join) =>
      join.onRef('p.accountId', '=', 'c.accountId').onRef('p.id', '=', 'c.contactId'),
    )
    .select('p.externalId')
    .where('c.accountId', '=', accountId)
    .where('c.contactId', '=', contactId)
    .executeTakeFirst()
  return row?.externalId ?? undefined
}

export type ConversationState = {
  handler: 'bot' | 'person' | 'off'
  reason: string | null
  since: Date | null
  waitingSince: Date | null
  waitingReason: string | null
  /** Since when they do not want to be written to, whoever answers them, and who said so. */
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
    .executeTakeFirstOrThrow()
}
