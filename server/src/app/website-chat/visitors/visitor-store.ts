import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId, ChannelId, ContactId } from '../../../platform/ids.ts'

export type OnChat = { accountId: AccountId; channelId: ChannelId }
export type ChatRef = OnChat & { contactId: ContactId }

/** How a visitor is known on the channel. */
export type VisitorAddress = { kind: 'browser' | 'member'; address: string }

/** Somebody who has written before. */
export type KnownVisitor = {
  contactId: ContactId
  /** The team has closed the chat. */
  isClosed: boolean
  /** Nobody has used it for a year. */
  isOld: boolean
  /** Somebody of the team has the conversation. */
  hasPerson: boolean
  /** Of a browser: the customer to whom alone its chat is shown. */
  signedInAs: ContactId | null
}

export const nameOf = ({ accountId, channelId }: OnChat, { kind, address }: VisitorAddress) =>
  `${accountId} ${channelId} ${kind} ${address}`

/** Who these are, by what `nameOf` makes of them. */
export async function findVisitors(db: Db, names: string[]): Promise<Map<string, KnownVisitor>> {
  const asked = names.map((name) => {
    const [accountId, channelId, kind, ...address] = name.split(' ')
    return { name, accountId, channelId, kind, address: address.join(' ') }
  })
  const { rows } = await sql<KnownVisitor & { name: string }>`
    select g.name, d.contact_id, coalesce(k.stop_scope = 'team', false) as is_closed, k.signed_in_as,
      coalesce(greatest(k.seen_at, k.last_inbound_at) < now() - interval '365 days', false) as is_old,
      coalesce(c.handler = 'person', false) as has_person
    from json_to_recordset(${JSON.stringify(asked)})
      as g (name text, "accountId" text, "channelId" text, kind text, address text)
    join contact_addresses d on d.account_id = g."accountId" and d.channel_id = g."channelId" and d.kind = g.kind
      and d.address = g.address
    left join contact_channels k on k.account_id = g."accountId" and k.contact_id = d.contact_id
      and k.channel_id = g."channelId"
    left join conversations c on c.account_id = g."accountId" and c.contact_id = d.contact_id
  `.execute(db)
  return new Map(rows.map(({ name, ...visitor }) => [name, visitor]))
}

/** They looked. Written once a minute; who writes at this moment is there anyway, and nobody waits for them. */
export async function writeSeen(db: Db, seen: ChatRef[]): Promise<void> {
  await sql`
    update contact_channels k set seen_at = now()
    from (
      select k.account_id, k.contact_id, k.channel_id
      from json_to_recordset(${JSON.stringify(seen)}) as g ("accountId" text, "channelId" text, "contactId" text)
      join contact_channels k on k.account_id = g."accountId" and k.contact_id = g."contactId"
        and k.channel_id = g."channelId"
      where k.seen_at is null or k.seen_at < now() - interval '1 minute'
      for no key update of k skip locked
    ) as g
    where k.account_id = g.account_id and k.contact_id = g.contact_id and k.channel_id = g.channel_id
  `.execute(db)
}

/** The browser's chat is from now on shown to this customer alone. False: to another one already, or to them. */
export async function signIn(tx: Tx, browser: ChatRef, { contactId }: { contactId: ContactId }): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update contact_channels set signed_in_as = ${contactId}
    where account_id = ${browser.accountId} and contact_id = ${browser.contactId} and channel_id = ${browser.channelId}
      and signed_in_as is null
  `.execute(tx)
  return numAffectedRows > 0n
}

/** An e-mail address fills what is empty. It finds nobody, and several may have it. */
export async function fillEmail(tx: Tx, { accountId, contactId }: ChatRef, email: string): Promise<void> {
  await sql`
    update contacts set email = ${email} where account_id = ${accountId} and id = ${contactId} and email is null
  `.execute(tx)
}

/** As they wrote it; nobody has verified it. False: there is nothing to write it to. */
export async function leaveEmail(
  tx: Tx,
  { accountId, channelId, contactId }: ChatRef,
  email: string,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update contact_channels set left_email = ${email}, left_email_at = now()
    where account_id = ${accountId} and contact_id = ${contactId} and channel_id = ${channelId}
      and left_email is distinct from ${email}
  `.execute(tx)
  return numAffectedRows > 0n
}

/** Whether nothing is known of them but what this browser wrote: then they alone decide that it goes. */
export async function isOnlyThisBrowser(db: Db, { accountId, channelId, contactId }: ChatRef): Promise<boolean> {
  const { rows } = await sql<{ isOnly: boolean }>`
    select p.external_id is null and p.phone is null and p.email is null and not exists (
      select from contact_addresses d where d.account_id = ${accountId} and d.contact_id = ${contactId}
        and (d.channel_id <> ${channelId} or d.kind <> 'browser')
    ) and (
      select count(*) from contact_addresses d where d.account_id = ${accountId} and d.contact_id = ${contactId}
    ) = 1 and not exists (
      select from messages m where m.account_id = ${accountId} and m.contact_id = ${contactId}
        and m.channel is distinct from ${channelId}
    ) as is_only
    from contacts p where p.account_id = ${accountId} and p.id = ${contactId}
  `.execute(db)
  return rows[0]?.isOnly ?? false
}
