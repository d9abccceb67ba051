import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../helpers/harness.ts'
import { openClient } from '../../helpers/https-client.ts'
import { importFile } from '../../helpers/imports.ts'
import { png } from '../../helpers/media-files.ts'
import { askForMissing } from '../../helpers/providers/catching-up.ts'
import { connectSms, type SmsWorld, startSmsWorld } from '../../helpers/providers/sms-world.ts'
import { addTexter } from '../../helpers/providers/twilio.ts'
import { newSid } from '../../helpers/providers/twilio-account.ts'
import { sign } from '../../helpers/providers/twilio-hook.ts'
import { formOf } from '../../helpers/providers/twilio-messages.ts'
import { until } from '../../helpers/until.ts'

/** A server whose Twilio is a double, with a number that is connected. */
async function startNumber() {
  await using starting = new AsyncDisposableStack()
  const world = starting.use(await startSmsWorld())
  const account = world.twilio.addAccount()
  const { phone_number: number } = account.addNumber()
  const channel = await connectSms(world.owner, account, { sender: number })
  const started = starting.move()
  return { ...world, world, account, number, channel, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

const messages = ({ app }: SmsWorld) =>
  app.db
    .selectFrom('messages as m')
    .leftJoin('attachments as f', (join) =>
      join.onRef('f.accountId', '=', 'm.accountId').onRef('f.messageId', '=', 'm.id'),
    )
    .select(['m.contactId', 'm.body', 'm.seq', 'm.messageSid', 'f.state', 'f.contentType', 'f.fileName', 'f.sizeBytes'])
    .where('m.direction', '=', 'incoming')
    .orderBy('m.seq')
    .execute()

const contacts = ({ app }: SmsWorld) =>
  app.db.selectFrom('contacts').select(['id', 'firstName', 'phone']).orderBy('id').execute()

const untilKept = (world: SmsWorld, count: number) =>
  until(async () => (await messages(world)).length >= count, `not ${count} messages were kept`)

test('CH15: a telephone in Brazil is one contact by import, and by SMS with and without its ninth digit, whose number and name stay', async () => {
  await using one = await startNumber()
  const { world, account, number, owner } = one
  await importFile(owner, 'First name,Phone\r\nAna,+55 11 98888-7777\r\n')
  addTexter(account, number, '+551188887777').text('Without')
  await untilKept(world, 1)
  addTexter(account, number, '+5511988887777').text('With')
  await untilKept(world, 2)
  await importFile(owner, 'First name,Phone\r\nAnna,+55 11 8888-7777\r\n')
  const [ana, ...others] = await contacts(world)
  assert.deepEqual([ana?.firstName, ana?.phone, others], ['Ana', '+5511988887777', []])
  assert.deepEqual(
    (await messages(world)).map(({ contactId, body }) => [contactId, body]),
    [
      [ana?.id, 'Without'],
      [ana?.id, 'With'],
    ],
  )
})

test('who is not known is a contact with their number, one is that of who was known by it, and one whose number is changed writes as before', async () => {
  await using one = await startNumber()
  const { world, account, number, owner } = one
  const ana = addTexter(account, number)
  ana.text('Hello')
  await untilKept(world, 1)
  const [known] = await contacts(world)
  assert.equal(known?.phone, ana.phone)
  assert.equal((await owner.call('PATCH', `/api/contacts/${known?.id}`, { phone: '+447700900999' })).status, 200)
  ana.text('It is still me')
  await untilKept(world, 2)
  const rows = await messages(world)
  assert.deepEqual(new Set(rows.map(({ contactId }) => contactId)), new Set([known?.id]))
  assert.deepEqual(await contacts(world), [{ ...known, phone: '+447700900999' }], 'what somebody has set stays')
})

test('CH17: fifty first messages of one new person, at once and on two servers, are of one contact, each kept once', async () => {
  await using one = await startNumber()
  const { world, account, number, channel, app, entrance } = one
  await using second = await startApp(one.environment, app.database)
  using client = closing(openClient({ connections: 50 }))
  const path = `/hooks/sms/${channel.id}`
  const forms = Array.from({ length: 50 }, (_, n) => ({
    ...formOf(account, textOf(number, String(n))),
  }))
  const post = async (form: Record<string, string>, url: string) => {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': sign(account.authToken, `${entrance.url}${path}`, form),
    }
    const body = new URLSearchParams(form).toString()
    return (await client.send(`${url}${path}`, { method: 'POST', headers, body })).status
  }
  const statuses = await Promise.all(forms.map((form, n) => post(form, n % 2 === 0 ? app.url : second.url)))
  for (const [n, status] of statuses.entries()) {
    if (status === 200) continue
    assert.equal(status, 503, 'it says that it is to come again')
    assert.equal(await post(forms[n] ?? {}, app.url), 200)
  }
  assert.equal(await post(forms[0] ?? {}, second.url), 200, 'a copy')
  const rows = await messages(world)
  assert.equal((await contacts(world)).length, 1)
  assert.equal(new Set(rows.map(({ contactId }) => contactId)).size, 1)
  assert.deepEqual(
    rows.map(({ body }) => Number(body)).toSorted((left, right) => left - right),
    [...forms.keys()],
  )
  assert.equal(new Set(rows.map(({ seq }) => seq)).size, 50)
})

const closing = (client: ReturnType<typeof openClient>) =>
  Object.assign(client, { [Symbol.dispose]: () => client.close() })

function textOf(to: string, body: string) {
  const times = { createdAt: Date.now(), sentAt: Date.now() }
  const none = { status: 'received', error_code: null, callback: '', asked: {}, files: [], service: null }
  return { sid: newSid('SM'), direction: 'inbound' as const, from: '+15557654321', to, body, ...times, ...none }
}

test('CH08: a message whose answer is lost after the commit comes again, and is one message that owes one answer', async () => {
  await using one = await startNumber()
  const { world, account, number, entrance, app } = one
  const ana = addTexter(account, number)
  ana.text('Hello')
  await untilKept(world, 1)
  const before = account.poster.posted.length
  const endConnections = entrance.loseAnswers()
  await app.db.deleteFrom('turns').execute()
  ana.text('Where are you?')
  await untilKept(world, 2)
  endConnections()
  await until(
    () =>
      account.poster.posted.slice(before).some(({ form, status }) => form.Body === 'Where are you?' && status === 200),
    'it did not come again',
  )
  assert.equal((await messages(world)).length, 2)
  await until(async () => (await app.db.selectFrom('turns').selectAll().execute()).length === 0, 'it was not answered')
  const answers = await app.db.selectFrom('answers').select('fromSeq').execute()
  assert.equal(new Set(answers.map(({ fromSeq }) => fromSeq)).size, answers.length, 'each message is answered once')
})

test('several files of one message are messages in their order, the first one with the text; a copy of it is a copy of all', async () => {
  await using one = await startNumber()
  const { world, account, number, channel } = one
  account.earlyMisses = 2
  const ana = addTexter(account, number)
  const pdf = Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n')
  const files = [png, png, pdf].map((bytes, n) => ({ contentType: n < 2 ? 'image/png' : 'application/pdf', bytes }))
  const { sid } = ana.text('Look at these', { files })
  await untilKept(world, 3)
  const areStored = async () => (await messages(world)).every(({ state }) => state === 'stored')
  await until(areStored, 'what was not there in the first seconds was not fetched')
  const rows = await messages(world)
  assert.deepEqual(
    rows.map(({ body, messageSid, contentType }) => [body, messageSid, contentType]),
    [
      ['Look at these', `${channel.id}:${sid}`, 'image/png'],
      ['', `${channel.id}:${sid}#2`, 'image/png'],
      ['', `${channel.id}:${sid}#3`, 'application/pdf'],
    ],
  )
  const [posted] = account.poster.posted.filter(({ form }) => form.MessageSid === sid)
  assert.ok(posted)
  await account.poster.post({ url: posted.url, form: posted.form })
  assert.equal(account.poster.posted.at(-1)?.status, 200)
  assert.equal((await messages(world)).length, 3)
})

test('a message whose second file could not be kept is not confirmed, and its repeat keeps what was missing once', async () => {
  await using one = await startNumber()
  const { world, account, number, app } = one
  await sql`create function refuse_second() returns trigger language plpgsql as $$ begin
    if new.message_sid like '%#2' then raise exception 'not now' using errcode = '53000'; end if; return new; end $$`.execute(
    app.db,
  )
  await sql`create trigger refuse_second before insert on messages for each row execute function refuse_second()`.execute(
    app.db,
  )
  const files = [png, png, png].map((bytes) => ({ contentType: 'image/png', bytes }))
  addTexter(account, number).text('Three', { files })
  await until(() => account.poster.posted.some(({ status }) => status === 503), 'it was confirmed')
  await sql`drop function refuse_second() cascade`.execute(app.db)
  await untilKept(world, 3)
  await until(() => account.poster.posted.at(-1)?.status === 200, 'it was not confirmed')
  assert.deepEqual(
    (await messages(world)).map(({ messageSid }) => messageSid?.split('#')[1]),
    [undefined, '2', '3'],
  )
})

test('who has said STOP and was erased is opted out again when they write from any form of their number, until they say START', async () => {
  await using one = await startNumber()
  const { world, account, number, owner, app } = one
  const optedOut = () => app.db.selectFrom('contacts').select('optedOutBy').execute()
  addTexter(account, number, '+551188887777').text('STOP')
  await until(async () => (await optedOut())[0]?.optedOutBy === 'contact', 'they have not opted out')
  const [contact] = await contacts(world)
  assert.equal((await owner.call('DELETE', `/api/contacts/${contact?.id}`)).status, 200)
  const again = addTexter(account, number, '+5511988887777')
  again.text('It is me')
  await until(async () => (await optedOut())[0]?.optedOutBy === 'returned', 'they are not known again')
  again.text('START')
  await until(async () => (await optedOut())[0]?.optedOutBy === null, 'they have not opted in')
  assert.equal((await app.db.selectFrom('optOuts').selectAll().execute()).length, 0)
})

test('CH18: of a contact who is erased while they write nothing is left, and what comes later makes a new contact', async () => {
  await using one = await startNumber()
  const { world, account, number, owner, app } = one
  const ana = addTexter(account, number)
  const erased: string[] = []
  for (let round = 1; round <= 3; round += 1) {
    ana.text('first')
    await until(async () => (await contacts(world)).length === 1, 'they are not known')
    const [contact] = await contacts(world)
    erased.push(contact?.id ?? '')
    const posted = account.poster.posted.length
    for (const n of [1, 2, 3]) ana.text(`while ${n}`)
    assert.equal((await owner.call('DELETE', `/api/contacts/${contact?.id}`)).status, 200)
    const isOver = () => account.poster.posted.slice(posted).filter(({ status }) => status === 200).length >= 3
    await until(isOver, 'what came meanwhile was not taken')
    for (const left of await contacts(world)) {
      erased.push(left.id)
      assert.equal((await owner.call('DELETE', `/api/contacts/${left.id}`)).status, 200)
    }
    await until(async () => (await messages(world)).length === 0, 'not all is erased')
  }
  await askForMissing(app)
  assert.deepEqual([await contacts(world), await messages(world)], [[], []], 'it does not come back by that')
  const { rows: columns } = await sql<{ table: string; column: string }>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = current_schema() and column_name = 'contact_id'
  `.execute(app.db)
  for (const { table, column } of columns) {
    const found = await sql`
      select ${sql.ref(column)} from ${sql.table(table)} where ${sql.ref(column)} = any (${erased})
    `.execute(app.db)
    assert.deepEqual(found.rows, [], table)
  }
})
