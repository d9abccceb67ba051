/** One of the people that a statement is about, as its parameter names them. Absent fields are undefined. */
export type Person = {
  /** Their place in the order in which every process locks people: by account, then by `fromId`. */
  s: number
  /** How many messages of the statement are theirs. */
  messages: number
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

/** What is said about one of them along with a message. */
type Said = Omit<Person, 's' | 'messages'>

/** The messages of a statement, each with whose it is (`s`) and which of theirs (`place`), and their people. */
export type Gathered<Row> = { row: Row; n: number; s: number; place: number }

/**
 * Puts together what several messages say about one person, the first name given and the last label, and brings
 * everything into the order of account and id. `n` is the place that a row had before.
 */
export function gatherPeople<Row extends Said>(rows: Row[]): { messages: Gathered<Row>[]; people: Person[] } {
  const messages: Gathered<Row>[] = []
  const people: Person[] = []
  let person: Person | undefined
  for (const { row, n } of rows.map((row, n) => ({ row, n })).sort(byPerson)) {
    const { accountId, contactId, fromId, firstName, lastName, email, channel, campaignId } = row
    if (person?.fromId !== fromId || person.accountId !== accountId) {
      const said = { accountId, contactId, fromId, firstName, lastName, email, channel, campaignId }
      person = { s: people.length, messages: 0, ...said }
      people.push(person)
    }
    person.messages += 1
    person.firstName ??= firstName
    person.lastName ??= lastName
    person.email ??= email
    person.channel = channel ?? person.channel
    person.campaignId = campaignId ?? person.campaignId
    messages.push({ row, n, s: person.s, place: person.messages })
  }
  return { messages, people }
}

type Numbered = { row: Pick<Said, 'accountId' | 'fromId'>; n: number }

function byPerson({ row: one, n }: Numbered, { row: other, n: otherN }: Numbered): number {
  if (one.accountId !== other.accountId) return one.accountId < other.accountId ? -1 : 1
  if (one.fromId !== other.fromId) return one.fromId < other.fromId ? -1 : 1
  return n - otherN
}

/**
 * The part of a statement that finds or makes its people and fills their blanks. `given` is the parameter that holds
 * them, as JSON; `which` says who of them counts. Afterwards `person` has them with their `id`: all but those whom
 * another process is making at this moment, about whom the statement must be asked again.
 *
 * Everything looks at the data as they were when the statement began; what this statement writes is read from
 * `returning`. Tables are asked by a scalar subquery, which can only be answered row by row through an index: the plan
 * is made once, perhaps on empty tables, and must stay right with millions of rows.
 *
 * Contacts are locked in the order of `s`, and before anything that reads `person`: that is why those are counted who
 * had a blank filled.
 */
export function meetPeople(given: '$1' | '$2', which: string): string {
  return `
sender as materialized (
  select p.*, (select id from contacts where account_id = p."accountId" and external_id = p."fromId") as known_id
  from json_to_recordset(${given}) as p (
    s integer, messages integer, "accountId" text, "contactId" text, "fromId" text, "firstName" text, "lastName" text,
    email text, channel text, "campaignId" text
  )
  where ${which}
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
