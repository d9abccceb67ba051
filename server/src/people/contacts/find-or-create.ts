/** What one message says about its contact, its sender or its receiver. Absent fields are undefined. */
type ContactFields = {
  accountId: string
  /** The id the contact gets if it is new. */
  contactId: string
  /** The contact's id on the external platform. */
  fromId: string
  firstName: string | undefined
  lastName: string | undefined
  email: string | undefined
  channel: string | undefined
  campaignId: string | undefined
}

/**
 * `ContactFields` as a parameter of the statement. Fields from `messages` on are set in the first message of each
 * contact only.
 */
type ContactParameters = {
  /** The contact's position in the lock order of every process: by account, then by `fromId`. */
  s: number
  /** Which of the contact's messages in the statement it is, beginning with 1. */
  nth: number
  accountId: string
  contactId: string
  fromId: string
  /** How many messages of the statement are the contact's. */
  messages?: number | undefined
  firstName?: string | undefined
  lastName?: string | undefined
  email?: string | undefined
  lastChannel?: string | undefined
  lastCampaignId?: string | undefined
}

/**
 * Sorts messages by account and `fromId`, and merges what several of them say about one contact: the first name given
 * and the last label win.
 */
export function gatherContacts<Row extends ContactFields>(rows: Row[]): { row: Row; contact: ContactParameters }[] {
  let first: ContactParameters | undefined
  return rows.toSorted(byContact).map((row) => {
    const { accountId, contactId, fromId } = row
    if (first?.fromId === fromId && first.accountId === accountId) {
      const nth = merge(first, row)
      return { row, contact: { s: first.s, nth, accountId, contactId, fromId } }
    }
    const { firstName, lastName, email, channel: lastChannel, campaignId: lastCampaignId } = row
    const s: number = first ? first.s + 1 : 0
    const fields = { messages: 1, firstName, lastName, email, lastChannel, lastCampaignId }
    first = { s, nth: 1, accountId, contactId, fromId, ...fields }
    return { row, contact: first }
  })
}

/** Returns the number of the message among those of its contact. */
function merge(first: ContactParameters, { firstName, lastName, email, channel, campaignId }: ContactFields): number {
  first.messages = (first.messages ?? 0) + 1
  first.firstName ??= firstName
  first.lastName ??= lastName
  first.email ??= email
  first.lastChannel = channel ?? first.lastChannel
  first.lastCampaignId = campaignId ?? first.lastCampaignId
  return first.messages
}

type ContactIdentity = Pick<ContactFields, 'accountId' | 'fromId'>

/** The key of a contact: equal for all its messages, different for any two contacts. */
export function contactKey({ accountId, fromId }: ContactIdentity): string {
  return `${accountId} ${fromId}`
}

export function byContact(one: ContactIdentity, other: ContactIdentity): number {
  if (one.accountId !== other.accountId) return one.accountId < other.accountId ? -1 : 1
  if (one.fromId === other.fromId) return 0
  return one.fromId < other.fromId ? -1 : 1
}

/** The columns of `ContactParameters`, for a statement that reads its messages from JSON. */
export const contactColumns = `s integer, nth integer, "accountId" text, "contactId" text, "fromId" text,
    messages integer, "firstName" text, "lastName" text, email text, "lastChannel" text, "lastCampaignId" text`

/**
 * The part of a statement that finds or creates the contacts of its `message`, `m`, and fills their empty fields;
 * `which` is a condition on the messages whose contacts count. Afterwards `contact` has them with their `id`: all but
 * those that another process is creating at this moment; for these the statement must be run again.
 *
 * Reads the CTE `message`, which has `contactColumns`. Gives `sender`, `filled`, `created` and `contact`, of which the
 * rest of the statement reads `contact`.
 *
 * Every part reads the data as they were when the statement began; what this statement writes is read from `returning`.
 * Tables are read by a scalar subquery, which PostgreSQL can only plan row by row through an index: the plan is made
 * once, perhaps on empty tables, and must stay right with millions of rows.
 *
 * Contacts are locked in the order of `s`, and before anything that reads `contact`: this is why `contact` counts the
 * rows of `filled`.
 */
export function findOrCreateContacts(which = 'true'): string {
  return `
sender as materialized (
  select m.s, m.messages, m."accountId", m."contactId", m."fromId", m."firstName", m."lastName", m.email,
    m."lastChannel" as channel, m."lastCampaignId" as "campaignId",
    (select id from contacts where account_id = m."accountId" and external_id = m."fromId") as known_id
  from message m
  where m.nth = 1 and ${which}
), filled as (
  update contacts c
  set first_name = coalesce(c.first_name, p."firstName"), last_name = coalesce(c.last_name, p."lastName"),
    email = coalesce(c.email, p.email)
  from sender p
  where coalesce(p."firstName", p."lastName", p.email) is not null
    and c.account_id = p."accountId" and c.id = p.known_id
    and (c.first_name is null and p."firstName" is not null or c.last_name is null and p."lastName" is not null
      or c.email is null and p.email is not null)
  returning true
), created as (
  insert into contacts (account_id, id, external_id, first_name, last_name, email)
  select "accountId", "contactId", "fromId", "firstName", "lastName", email
  from sender where known_id is null
  order by s
  on conflict (account_id, external_id) where external_id is not null do nothing
  returning id
), contact as materialized (
  select s, messages, "accountId", "contactId", channel, "campaignId", known_id as id from sender
  where known_id is not null and (select count(*) from filled) >= 0
  union all
  select s, messages, "accountId", "contactId", channel, "campaignId", n.id from sender p join created n on n.id = p."contactId"
)`
}
