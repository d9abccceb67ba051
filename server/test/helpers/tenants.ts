import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { listEntries } from '../../src/answers/knowledge/entries/entry-store.ts'
import { importKnowledge } from '../../src/answers/knowledge/entries/import.ts'
import type { CampaignRef } from '../../src/answers/knowledge/entries/store.ts'
import { writeUnanswered } from '../../src/answers/knowledge/unanswered/unanswered-store.ts'
import { blankConnection } from '../../src/answers/model-providers/save.ts'
import { insertConnection } from '../../src/answers/model-providers/store.ts'
import { enqueueAlerts } from '../../src/app/alerts/state-store.ts'
import { findOwnerId } from '../../src/business/accounts/store.ts'
import { grantWithin } from '../../src/business/credits/grant.ts'
import { setRecharge } from '../../src/business/credits/recharge.ts'
import { enqueueRechargeRequest } from '../../src/business/credits/recharge-store.ts'
import { insertLink } from '../../src/business/team/link-store.ts'
import { claimSender, upsertChannel } from '../../src/journey/channels/store.ts'
import { openReceiver } from '../../src/outbox/receiver-store.ts'
import type { Db } from '../../src/platform/database/db.ts'
import { tenantColumns } from '../../src/platform/database/tables.ts'
import { type AccountId, type ContactId, newId } from '../../src/platform/ids.ts'
import { makeSubaccount } from './credits.ts'
import type { Answer, TestAccount, TestApp } from './harness.ts'
import { makeImport } from './imports.ts'
import { png } from './media-files.ts'
import { incoming, incomingPath, outgoing, sendPath } from './message-requests.ts'

/** What of an account another one could name in a request. */
export type Names = Record<keyof typeof unknownNames, string>

/** Names of the right form that no account has. */
export const unknownNames = {
  contact: newId('con'),
  list: newId('lst'),
  link: newId('lnk'),
  message: newId('msg'),
  /** A message with a file. */
  file: newId('msg'),
  /** Attached to a reply, and not sent yet. */
  unsentFile: newId('fil'),
  campaign: newId('cmp'),
  connection: newId('cxn'),
  channel: newId('chn'),
  /** Over the channel. */
  channelMessage: newId('msg'),
  entry: newId('ent'),
  /** Of unanswered questions. */
  group: randomUUID(),
  savedReply: newId('rep'),
  broadcast: newId('brc'),
  import: newId('imp'),
  note: randomUUID(),
  tag: 'tag of nobody',
  simulated: newId('con'),
  user: newId('usr'),
  /** Of an agency. */
  subaccount: newId('acc'),
  movement: newId('led'),
  subCampaign: newId('cmp'),
  subChannel: newId('chn'),
  /** For a recharge. */
  request: newId('evt'),
  alert: newId('evt'),
  externalId: 'nobody-at-all',
  messageSid: 'sid-of-nobody',
  idempotencyKey: 'key-of-nobody',
  phone: '+15557654321',
  email: 'nobody@example.org',
  /** Of the owner of a sub-account. */
  subaccountEmail: 'sub@example.org',
  name: 'Nobody',
}

/** Gives an account one of everything, with texts in which `mark` can be found again. */
export async function fillTenant(app: TestApp, account: TestAccount, mark: string): Promise<Names> {
  const { accountId, listId } = account
  const [phone, email] = [`+1555${String(mark.length).padStart(3, '0')}4567`, `${mark}@example.org`.toLowerCase()]
  const [externalId, messageSid, idempotencyKey] = [`from-${mark}`, `sid-${mark}`, `key-${mark}`]
  const person = { firstName: `First${mark}`, lastName: `Last${mark}`, email }
  const headers = { 'idempotency-key': idempotencyKey }
  const made = await app.call('POST', '/contacts', { key: account.apiKey, headers, body: { ...person, phone } })
  assert.equal(made.status, 201)
  const mediaUrl = `data:image/png;base64,${png.toString('base64')}`
  const message = incoming({
    fromId: externalId,
    messageSid,
    body: `Question${mark}`,
    mediaUrl,
    mediaContentType: 'image/png',
    ...person,
  })
  const received = await account.post(incomingPath, message)
  assert.equal(received.status, 200)
  const sent = await account.post(sendPath, outgoing({ fromId: externalId, body: `Answer${mark}` }))
  assert.equal(sent.status, 200)
  const { contactId: contact, messageId } = sent.body
  await account.post(`/lists/${listId}/contacts`, { contactId: contact })
  await writeWhatNoRouteWrites(app.db, { accountId, contactId: contact, messageId, mark })
  const alert = newId('evt')
  const payload = JSON.stringify({ text: `Alert${mark}` })
  await app.db.transaction().execute((tx) => enqueueAlerts(tx, [{ accountId, id: alert, payload }]))
  const forTeam = await writeForTeam(app.db, { accountId, contactId: contact, messageId, mark })
  const { id: campaign } = await ofAccount(app.db, accountId).executeTakeFirstOrThrow()
  const link = await makeInvitation(app.db, account)
  const connection = await makeConnection(app.db, accountId, mark)
  const channel = await makeChannel(app.db, accountId, mark)
  const names = { contact, list: listId, link, connection, channel, message: messageId, campaign, user: account.userId }
  const taught = await teachTenant(app.db, { accountId, campaignId: campaign }, { contactId: contact, mark })
  return {
    ...unknownNames, // of sub-accounts: only agencies have them
    ...names,
    ...taught,
    alert,
    file: received.body.messageId,
    channelMessage: await writeOverChannel(app.db, { accountId, contactId: contact, channel, mark }),
    unsentFile: await attachFile(app.db, { accountId, contactId: contact, mark }),
    simulated: contact,
    ...forTeam,
    broadcast: await makeBroadcast(app.db, { accountId, contactId: contact, messageId, mark }),
    import: await makeImport(app.db, accountId, mark),
    tag: `tag ${mark}`.toLowerCase(),
    subaccountEmail: email,
    externalId,
    messageSid,
    idempotencyKey,
    phone,
    email,
    name: `First${mark}`,
  }
}

/** Gives an agency a sub-account with credits. */
export async function fillAgency({ db }: TestApp, agency: TestAccount, mark: string) {
  const sub = await makeSubaccount(db, agency.accountId, `sub-${mark}@example.org`.toLowerCase())
  const { accountId } = sub
  await db
    .updateTable('accounts')
    .set({ name: `Sub${mark}` })
    .where('id', '=', accountId)
    .execute()
  const order = { agency: { id: agency.accountId, kind: 'agency' as const }, email: sub.email, amount: 50 }
  const granted = await db
    .transaction()
    .execute((tx) => grantWithin(tx, { ...order, description: `Grant${mark}`, actor: agency.userId }))
  const { id: subCampaign } = await ofAccount(db, accountId).executeTakeFirstOrThrow()
  const request = newId('evt')
  await setRecharge(db, { id: accountId, kind: 'subaccount', agencyId: agency.accountId }, { threshold: 9, amount: 20 })
  await db.transaction().execute((tx) => enqueueRechargeRequest(tx, accountId, request))
  const subChannel = await makeChannel(db, accountId, `sub-${mark}`)
  const ids = { subaccount: accountId, movement: granted.entryId, subCampaign, subChannel, request }
  const names = { ...ids, subaccountEmail: sub.email }
  return { sub: { accountId, userId: await findOwnerId(db, accountId) }, names }
}

function ofAccount(db: Db, accountId: AccountId) {
  return db.selectFrom('campaigns').select('id').where('accountId', '=', accountId)
}

async function makeInvitation(db: Db, { accountId, userId }: TestAccount): Promise<string> {
  const link = { accountId, id: newId('lnk'), tokenHash: randomBytes(32), userId: null }
  await db.transaction().execute((tx) => insertLink(tx, { ...link, makesOwner: false, madeBy: userId }))
  return link.id
}

async function makeConnection(db: Db, accountId: AccountId, mark: string): Promise<string> {
  const url = `https://${mark}.models.example/v1`
  const row = blankConnection(accountId, { name: `Connection${mark}`, kind: 'openai-compatible', url, model: mark })
  await db.transaction().execute((tx) => insertConnection(tx, row))
  return row.id
}

/** A built-in channel whose credentials cannot be read, so that nobody is called. */
export async function makeChannel(db: Db, accountId: AccountId, mark: string): Promise<`chn_${string}`> {
  const row = { accountId, id: newId('chn'), kind: 'telegram' as const, providerKey: mark, address: `@${mark}` }
  await db.transaction().execute(async (tx) => {
    await claimSender(tx, row)
    await upsertChannel(tx, { ...row, name: `Channel${mark}`, settings: {}, credentials: 'unreadable' })
    await openReceiver(tx, { accountId, receiverId: row.id }, 'https://api.telegram.org')
  })
  return row.id
}

type OverChannel = { accountId: AccountId; contactId: string; channel: string; mark: string }

/** A message that has failed, so that nobody tries to send it. */
export async function writeOverChannel(db: Db, { accountId, contactId, channel, mark }: OverChannel): Promise<string> {
  const id = newId('msg')
  await sql`
    with numbered as (
      update conversations set last_seq = last_seq + 1 where account_id = ${accountId} and contact_id = ${contactId}
      returning last_seq
    ), message as (
      insert into messages (account_id, id, contact_id, seq, direction, author, kind, body, channel, outgoing_seq)
      select ${accountId}, ${id}, ${contactId}, last_seq, 'outgoing', 'person', 'text', ${`Over${mark}`}, ${channel}, last_seq
      from numbered
    )
    insert into deliveries (account_id, id, contact_id, outgoing_seq, payload, receiver_id, author, due_at, error_category)
    select ${accountId}, ${id}, ${contactId}, last_seq, '', ${channel}, 'person', null, 'expired' from numbered
  `.execute(db)
  await sql`
    insert into delivery_parts (account_id, delivery_id, n, channel_id, contact_id, address_kind, address, content)
    values (${accountId}, ${id}, 1, ${channel}, ${contactId}, 'chat', '1', ${JSON.stringify({ text: `Over${mark}` })}::jsonb)
  `.execute(db)
  return id
}

/** Of the bytes that the account has already. */
async function attachFile(db: Db, { accountId, contactId, mark }: Omit<Written, 'messageId'>): Promise<string> {
  const id = newId('fil')
  await sql`
    insert into outgoing_files (account_id, contact_id, id, media_id, content_type, file_name)
    select ${accountId}, ${contactId}, ${id}, id, content_type, ${`${mark}.png`} from media
    where account_id = ${accountId} limit 1
  `.execute(db)
  return id
}

/** An entry, and a question that nothing answers. */
async function teachTenant(db: Db, campaign: CampaignRef, { contactId, mark }: { contactId: string; mark: string }) {
  await importKnowledge(db, campaign, [{ questions: [`When do you open ${mark}?`], answer: `${mark} opens at nine.` }])
  const [entry] = await listEntries(db, campaign, { after: '', limit: 1 })
  assert.ok(entry)
  const group = randomUUID()
  const asked = { ...campaign, contactId: contactId as ContactId } // made by the call above
  const question = { question: `is there parking at ${mark}`, asked: `Is there parking at ${mark}?` }
  const ungrouped = { ...question, groupId: group, vector: null, nearest: null }
  await db.transaction().execute((tx) => writeUnanswered(tx, asked, ungrouped))
  return { entry: entry.entryId, group }
}

type Written = { accountId: AccountId; contactId: string; messageId: string; mark: string }

/** What the bot and the delivery would write: an answer, and a failed attempt. */
async function writeWhatNoRouteWrites(db: Db, { accountId, contactId, messageId, mark }: Written): Promise<void> {
  await sql`
    insert into answers (account_id, contact_id, from_seq, to_seq, outcome, reason, message_id)
    values (${accountId}, ${contactId}, 1, 1, 'answered', ${`Reason${mark}`}, ${messageId})
  `.execute(db)
  await sql`
    update deliveries set due_at = null, attempts = 1, last_attempt_at = now(), last_url = ${`https://${mark}.example`},
      last_duration_ms = 1, error_category = 'http_error', error_http_status = 500, error_detail = ${`Detail${mark}`}
    where account_id = ${accountId}
  `.execute(db)
  await sql`
    update conversations set waiting_since = now(), waiting_reason = 'asked for a person' where account_id = ${accountId}
  `.execute(db)
}

/** A note, a tag and a saved reply. */
async function writeForTeam(db: Db, { accountId, contactId, mark }: Written) {
  const [savedReply, note] = [newId('rep'), randomUUID()]
  await sql`
    insert into conversation_notes (account_id, contact_id, id, seq, user_id, client_id, body)
    select ${accountId}, ${contactId}, ${note}, 1, id, 'note', ${`Note${mark}`} from users where account_id = ${accountId} limit 1
  `.execute(db)
  await sql`
    insert into conversation_tags (account_id, contact_id, tag)
    values (${accountId}, ${contactId}, ${`tag ${mark}`.toLowerCase()})
  `.execute(db)
  await sql`
    insert into saved_replies (account_id, id, shortcut, body)
    values (${accountId}, ${savedReply}, ${mark.toLowerCase()}, ${`Saved${mark}`})
  `.execute(db)
  return { savedReply, note }
}

/** One that is over, so that no worker changes it. */
async function makeBroadcast(db: Db, { accountId, contactId, messageId, mark }: Written): Promise<string> {
  const id = newId('brc')
  await sql`
    insert into broadcasts (account_id, id, name, list_id, list_name, channel, body, rate_per_minute, state, ended_at,
      recipients, failed, answered, causes)
    select ${accountId}, ${id}, ${`Broadcast${mark}`}, id, name, ${`Channel${mark}`}, ${`News${mark}`}, 60, 'finished', now(), 1, 1, 1,
      '{"timeout": 1}'
    from lists where account_id = ${accountId} limit 1
  `.execute(db)
  await sql`
    insert into broadcast_recipients (account_id, broadcast_id, n, contact_id, state, message_id, seq, error_category, made_at,
      settled_at, answered_at)
    values (${accountId}, ${id}, 1, ${contactId}, 'failed', ${messageId}, 1, 'timeout', now(), now(), now())
  `.execute(db)
  return id
}

/** All rows of each account, as one digest; a table that does not belong to accounts is not read. */
/** All rows of each account but its last calls, which are written a moment later, as one digest; a table that does not belong to accounts is not read. */
export async function digestRows(db: Db): Promise<Map<string, string>> {
  const tables = Object.entries(tenantColumns)
    .filter(([table]) => table !== 'api_calls')
    .map(
      ([table, column]) =>
        sql`select ${sql.ref(column)} as account, ${table}::text as name, t::text as row from ${sql.table(table)} as t`,
    )
  const { rows } = await sql<{ account: string; digest: string }>`
    select account, md5(string_agg(name || row, ' ' order by name, row)) as digest
    from (${sql.join(tables, sql` union all `)}) as every group by account
  `.execute(db)
  return new Map(rows.map(({ account, digest }) => [account, digest]))
}

/** An answer without what may differ: the name that was given, ids and times of what was made, the sum of two grants. */
export function comparable({ status, body }: Answer, given: string): { status: number; body: string } {
  const text = (JSON.stringify(body) ?? '')
    .replaceAll(given, '<given>')
    .replace(/\b([a-z]{3})_[0-9A-Za-z-]{20,}/g, '<$1>')
    .replace(/"new_balance":\d+/, '"new_balance":<n>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
  return { status, body: text }
}
