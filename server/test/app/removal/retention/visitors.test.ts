import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { ContactId } from '../../../../src/platform/ids.ts'
import { startApp } from '../../../helpers/harness.ts'
import { startInbox } from '../../../helpers/inbox.ts'
import { makeOlder, removeOld } from '../../../helpers/retention.ts'
import { makeChat, openWriting } from '../../../helpers/strangers.ts'

test('a visitor of whom nothing is known goes a year after the last message, with all that was said, and nobody else does', async () => {
  await using inbox = await startInbox(startApp())
  const { app, account, owner } = inbox
  const { db } = app
  const { accountId } = account
  const write = openWriting(db, { accountId, channelId: await makeChat(owner) })
  const names = [
    'ana',
    'phone',
    'email',
    'own id',
    'left',
    'list',
    'tag',
    'note',
    'member ben',
    'heard',
    'recent',
  ] as const
  const people = new Map<string, ContactId>()
  for (const name of names) people.set(name, await write(name, `I am ${name}`))
  const id = (name: (typeof names)[number]) => people.get(name) ?? ('con_none' as ContactId)
  const contact = (name: (typeof names)[number]) => db.updateTable('contacts').where('id', '=', id(name))
  await contact('phone').set({ phone: '+15550100001' }).execute()
  await contact('email').set({ email: 'e@example.com' }).execute()
  await contact('own id').set({ externalId: 'customer 7' }).execute()
  await db
    .updateTable('contactChannels')
    .set({ leftEmail: 'l@example.com', leftEmailAt: sql`now()` })
    .where('contactId', '=', id('left'))
    .execute()
  await db
    .insertInto('listMembers')
    .values({ accountId, listId: account.listId, contactId: id('list') })
    .execute()
  const path = (name: (typeof names)[number]) => `/api/conversations/${id(name)}`
  await owner.ok('POST', `${path('note')}/notes`, { body: 'Wants a bell.', clientId: 'client-id-of-the-note' })
  await owner.ok('POST', `${path('tag')}/tags`, { tag: 'VIP' })

  const left = async () => {
    const { rows } = await sql<{ body: string }>`
      select m.body from messages m join contacts c on c.id = m.contact_id where m.direction = 'incoming' order by m.id
    `.execute(db)
    return rows.map(({ body }) => body.slice('I am '.length))
  }
  await makeOlder(db, 366)
  await sql`update contacts set created_at = created_at - interval '366 days'`.execute(db)
  await sql`update conversations set active_at = now() - interval '364 days' where contact_id = ${id('heard')}`.execute(
    db,
  )
  await sql`update contacts set created_at = now() where id = ${id('recent')}`.execute(db)
  await removeOld(db)
  assert.deepEqual((await left()).toSorted(), names.filter((name) => name !== 'ana').toSorted())
  for (const table of ['contactAddresses', 'contactChannels', 'conversations', 'messages'] as const) {
    assert.deepEqual(await db.selectFrom(table).selectAll().where('contactId', '=', id('ana')).execute(), [], table)
  }
  assert.deepEqual(await db.selectFrom('erasures').selectAll().execute(), [])

  await owner.ok('PUT', '/api/account/retention', { kind: 'visitors', keepDays: 300 })
  await removeOld(db)
  assert.ok(!(await left()).includes('heard'), 'sooner, where the account says so')
  assert.ok((await left()).includes('phone'))
  // The browser may come back: then it is somebody new.
  assert.notEqual(await write('ana', 'I am ana'), id('ana'))
})
