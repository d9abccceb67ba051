/** What a message says about the person it comes from or goes to. Absent fields are undefined. */
type Said = {
  accountId: string
  /** The id they get if this is the first we hear of them. */
  contactId: string
  /** Their id on the external platform. */
  fromId: string
  firstName: string | undefined
  lastName: string | undefined
  email: string | undefined
  channel: string | undefined
  campaignId: string | undefined
}

/** The same as the statement is given it. All from `messages` on is said once, with the first message of each person. */
type About = {
  /** The person's place in the order in which every process locks people: by account, then by `fromId`. */
  s: number
  /** Which of their messages it is, beginning with 1. */
  place: number
  accountId: string
  contactId: string
  fromId: string
  /** How many messages of the statement are theirs. */
  messages?: number | undefined
  firstName?: string | undefined
  lastName?: string | undefined
  email?: string | undefined
  lastChannel?: string | undefined
  lastCampaignId?: string | undefined
}

/**
 * Brings messages into the order of account and id, and puts together what several of them say about one person: the
 * first name given and the last label.
 */
export function gatherContacts<Row extends Said>(rows: Row[]): { row: Row; about: About }[] {
  let first: About | undefined
  return rows.toSorted(byPerson).map((row) => {
    const { accountId, contactId, fromId } = row
    if (first?.fromId === fromId && first.accountId === accountId) {
      const place = add(first, row)
      return { row, about: { s: first.s, place, accountId, contactId, fromId } }
    }
    const { firstName, lastName, email, channel: lastChannel, campaignId: lastCampaignId } = row
    const s: number = first ? first.s + 1 : 0
    const named = { messages: 1, firstName, lastName, email, lastChannel, lastCampaignId }
    first = { s, place: 1, accountId, contactId, fromId, ...named }
    return { row, about: first }
  })
}

/** Returns the place of the message among those of its person. */
function add(first: About, { firstName, lastName, email, channel, campaignId }: Said): number {
  first.messages = (first.messages ?? 0) + 1
  first.firstName ??= firstName
  first.lastName ??= lastName
  first.email ??= email
  first.lastChannel = channel ?? first.lastChannel
  first.lastCampaignId = campaignId ?? first.lastCampaignId
  return first.messages
}

type Person = Pick<Said, 'accountId' | 'fromId'>

/** Equal for messages of one person, and for nobody else. */
export function contactKey({ accountId, fromId }: Person): string {
  return `${accountId} ${fromId}`
}

function byPerson(one: Person, other: Person): number {
  if (one.accountId !== other.accountId) return one.accountId < other.accountId ? -1 : 1
  if (one.fromId === other.fromId) return 0
  return one.fromId < other.fromId ? -1 : 1
}

/** The columns of `About`, for a statement that reads its messages from JSON. */
export const aboutColumns = `s integer, place integer, "accountId" text, "contactId" text, "fromId" text,
    messages integer, "firstName" text, "lastName" text, email text, "lastChannel" text, "lastCampaignId" text`

/**
 * The part of a statement that finds or makes the people of its `message`, `m`, and fills their blanks; `which` says who
 * of them counts. Afterwards `person` has them with their `id`: all but those whom another process is making at this
 * moment, about whom the statement must be asked again.
 *
 * Everything looks at the data as they were when the statement began; what this statement writes is read from
 * `returning`. Tables are asked by a scalar subquery, which can only be answered row by row through an index: the plan
 * is made once, perhaps on empty tables, and must stay right with millions of rows.
 *
 * Contacts are locked in the order of `s`, and before anything that reads `person`: that is why those are counted who
 * had a blank filled.
 */
export function findOrCreateContacts(which = 'true'): string {
  return `
sender as materialized (
  select m.s, m.messages, m."accountId", m."contactId", m."fromId", m."firstName", m."lastName", m.email,
    m."lastChannel" as channel, m."lastCampaignId" as "campaignId",
    (select id from contacts where account_id = m."accountId" and external_id = m."fromId") as known_id
  from message m
  where m.place = 1 and ${which}
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
), met as (
  insert into contacts (account_id, id, external_id, first_name, last_name, email)
  select "accountId", "contactId", "fromId", "firstName", "lastName", email
  from sender where known_id is null
  order by s
  on conflict (account_id, external_id) where external_id is not null do nothing
  returning id
), person as materialized (
  select s, messages, "accountId", "contactId", channel, "campaignId", known_id as id from sender
  where known_id is not null and (select count(*) from filled) >= 0
  union all
  select s, messages, "accountId", "contactId", channel, "campaignId", met.id from sender p join met on met.id = p."contactId"
)`
}
