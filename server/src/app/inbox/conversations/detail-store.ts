import { type ContactText, contactTexts } from '@patchbay/contract/contact-texts.ts'
import { sql } from 'kysely'
import type { ConversationRef } from '../../../journey/conversations/conversation-store.ts'
import { hasFailed, isLeftInDoubt, isUndelivered } from '../../../journey/messages/status-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { ContactId } from '../../../platform/ids.ts'
import { type ConversationRow, readRows, userName } from './row-store.ts'
import type { Viewer } from './viewer-store.ts'

export async function findRow(db: Db, viewer: Viewer, contactId: ContactId): Promise<ConversationRow | undefined> {
  const rows = await readRows(db, viewer, {
    rows: sql`
      select c.* from conversations c where c.account_id = ${viewer.accountId} and c.contact_id = ${contactId}`,
    order: sql`c.contact_id`,
  })
  return rows[0]
}

/** Everything around the thread of a conversation that its row in the list does not say. */
export type Detail = {
  contact: Record<ContactText, string | null> & {
    id: ContactId
    phone: string | null
    email: string | null
    externalId: string | null
    isSimulated: boolean
    createdAt: Date
    optedOutAt: Date | null
    optedOutBy: 'contact' | 'operator' | 'returned' | null
  }
  channel: string
  campaignId: string | null
  handler: 'bot' | 'person' | 'off'
  handlerReason: string | null
  handlerSince: Date | null
  handlerUser: { id: string; name: string } | null
  /** The last message that a person of the account wrote. */
  personAt: Date | null
  botActive: boolean
  askedToBeDeletedAt: Date | null
  lists: { id: string; name: string }[]
  tags: string[]
  replies: { sent: number; failed: number; inDoubt: number; waiting: number }
}

export async function findDetail(db: Db, { accountId, contactId }: ConversationRef): Promise<Detail | undefined> {
  const row = await db
    .selectFrom('conversations as c')
    .innerJoin('contacts as p', (join) =>
      join.onRef('p.accountId', '=', 'c.accountId').onRef('p.id', '=', 'c.contactId'),
    )
    .innerJoin('accounts as a', 'a.id', 'c.accountId')
    .leftJoin('users as u', (join) =>
      join.onRef('u.accountId', '=', 'c.accountId').onRef('u.id', '=', 'c.handlerUserId'),
    )
    .select(contactTexts.map((name) => `p.${name}` as const))
    .select(['p.phone', 'p.email', 'p.externalId', 'p.isSimulated', 'p.createdAt', 'p.optedOutAt', 'p.optedOutBy'])
    .select(['a.botActive', 'c.campaignId', 'c.handler', 'c.handlerReason', 'c.handlerSince', 'c.personAt'])
    .select(sql<Date | null>`${askedToBeDeletedAt}`.as('askedToBeDeletedAt'))
    .select(['u.id as userId', sql<string>`coalesce(c.channel, 'custom')`.as('channel'), userName('u').as('userName')])
    .where('c.accountId', '=', accountId)
    .where('c.contactId', '=', contactId)
    .executeTakeFirst()
  if (!row) return undefined
  const {
    askedToBeDeletedAt: askedAt,
    botActive,
    campaignId,
    channel,
    handler,
    handlerReason,
    handlerSince,
    personAt,
    ...rest
  } = row
  const { userId, userName: name, ...contact } = rest
  return {
    contact: { id: contactId, ...contact },
    askedToBeDeletedAt: askedAt,
    botActive,
    campaignId,
    channel,
    handler,
    handlerReason,
    handlerSince,
    personAt,
    handlerUser: userId === null || name === null ? null : { id: userId, name },
    lists: await listsOf(db, { accountId, contactId }),
    tags: await tagsOf(db, { accountId, contactId }),
    replies: await countReplies(db, { accountId, contactId }),
  }
}

/** Of the conversation `c`: when they asked last, unless somebody has decided since that they stay. */
const askedToBeDeletedAt = sql`(
  select case e.kind when 'asked to be deleted' then e.at end from conversation_events e
  where e.account_id = c.account_id and e.contact_id = c.contact_id and e.kind in ('asked to be deleted', 'not deleted')
  order by e.at desc limit 1
)`

/** Whether the contact of the conversation asked to be deleted, and nobody has decided yet. */
export async function hasAskedToBeDeleted(db: Db, { accountId, contactId }: ConversationRef): Promise<boolean> {
  const { rows } = await sql`
    select from conversations c
    where c.account_id = ${accountId} and c.contact_id = ${contactId} and ${askedToBeDeletedAt} is not null
  `.execute(db)
  return rows.length > 0
}

async function listsOf(db: Db, { accountId, contactId }: ConversationRef): Promise<{ id: string; name: string }[]> {
  return db
    .selectFrom('listMembers as m')
    .innerJoin('lists as l', (join) => join.onRef('l.accountId', '=', 'm.accountId').onRef('l.id', '=', 'm.listId'))
    .select(['l.id', 'l.name'])
    .where('m.accountId', '=', accountId)
    .where('m.contactId', '=', contactId)
    .orderBy('l.name')
    .orderBy('l.id')
    .execute()
}

async function tagsOf(db: Db, { accountId, contactId }: ConversationRef): Promise<string[]> {
  const rows = await db
    .selectFrom('conversationTags')
    .select('tag')
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .orderBy('tag')
    .execute()
  return rows.map(({ tag }) => tag)
}

/** Those that were delivered are not counted: they are all but the others, which have indexes. */
async function countReplies(db: Db, { accountId, contactId }: ConversationRef): Promise<Detail['replies']> {
  const { rows } = await sql<Omit<Detail['replies'], 'sent'> & { outgoing: string; heldBack: number }>`
    select c.last_outgoing_seq as outgoing, f.failed, f.in_doubt, f.held_back,
      (select count(*)::integer from deliveries d
        where d.account_id = ${accountId} and d.contact_id = ${contactId} and d.due_at is not null
          and d.sent_at is null and d.error_category is null) as waiting
    from conversations c cross join lateral (
      select count(*) filter (where ${sql.raw(isLeftInDoubt('d'))})::integer as in_doubt,
        count(*) filter (where ${sql.raw(isUndelivered('d'))} and not (${sql.raw(isLeftInDoubt('d'))}))::integer as failed,
        count(*) filter (where not (${sql.raw(isUndelivered('d'))}))::integer as held_back
      from deliveries d
      where d.account_id = ${accountId} and d.contact_id = ${contactId} and ${sql.raw(hasFailed('d'))}
    ) as f
    where c.account_id = ${accountId} and c.contact_id = ${contactId}
  `.execute(db)
  const { outgoing, failed, inDoubt, ...open } = rows[0] ?? nothingSent
  const waiting = open.waiting + open.heldBack
  return { sent: Math.max(0, Number(outgoing) - failed - inDoubt - waiting), failed, inDoubt, waiting }
}

const nothingSent = { outgoing: '0', failed: 0, inDoubt: 0, waiting: 0, heldBack: 0 }
