import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { acrossAccounts, type Db, openDb } from '../../../src/platform/database/db.ts'
import { makeDatabase } from '../../helpers/databases.ts'

/** Queries are built and never sent: nothing listens there. */
const db = openDb({ host: '127.0.0.1', user: 'nobody', database: 'none' }, pino({ enabled: false }), 1)

const a = 'acc_1' as const
type Query = (db: Db) => { compile: () => unknown }

/** Each with the table that the error names. */
const unnamed: Record<string, [table: string, Query]> = {
  'a select': ['contacts', (db) => db.selectFrom('contacts').select('id').where('id', '=', 'con_1')],
  'a select with another alias': ['contacts', (db) => db.selectFrom('contacts as c').select('c.id')],
  'an update': ['contacts', (db) => db.updateTable('contacts').set({ phone: null }).where('id', '=', 'con_1')],
  'a delete': ['lists', (db) => db.deleteFrom('lists').where('id', '=', 'lst_1')],
  'any account': ['lists', (db) => db.selectFrom('lists').select('id').where('accountId', '<>', a)],
  'several accounts': ['lists', (db) => db.selectFrom('lists').select('id').where('accountId', 'in', [a, 'acc_2'])],
  'accounts by raw SQL': [
    'lists',
    (db) => db.selectFrom('lists').select('id').where('accountId', '=', sql<'acc_1'>`any('{}')`),
  ],
  'all accounts': ['accounts', (db) => db.selectFrom('accounts').selectAll()],
  'one condition of several': [
    'lists',
    (db) =>
      db
        .selectFrom('lists')
        .select('id')
        .where((eb) => eb.or([eb('accountId', '=', a), eb('name', '=', 'x')])),
  ],
  'a denied condition': [
    'lists',
    (db) =>
      db
        .selectFrom('lists')
        .select('id')
        .where((eb) => eb.not(eb('accountId', '=', a))),
  ],
  'a join by id alone': [
    'list_members',
    (db) =>
      db
        .selectFrom('lists as l')
        .innerJoin('listMembers as m', 'm.listId', 'l.id')
        .select('m.contactId')
        .where('l.accountId', '=', a),
  ],
  'the condition of a left join, which keeps all rows of the left side': [
    'lists',
    (db) =>
      db
        .selectFrom('lists as l')
        .leftJoin('listMembers as m', (join) => join.on('l.accountId', '=', a).on('m.accountId', '=', a))
        .select('l.id'),
  ],
  'the condition of a right join, which keeps all rows of the right side': [
    'list_members',
    (db) =>
      db
        .selectFrom('lists as l')
        .rightJoin('listMembers as m', (join) => join.on('m.accountId', '=', a))
        .select('m.listId')
        .where('l.accountId', '=', a),
  ],
  'a full join': [
    'list_members',
    (db) =>
      db
        .selectFrom('lists as l')
        .fullJoin('listMembers as m', 'm.accountId', 'l.accountId')
        .select('m.listId')
        .where('l.accountId', '=', a),
  ],
  'two tables that name only each other': [
    'lists',
    (db) => db.selectFrom('lists as l').innerJoin('listMembers as m', 'm.accountId', 'l.accountId').select('l.id'),
  ],
  'a second table in from': [
    'contacts',
    (db) => db.selectFrom(['lists', 'contacts']).select('lists.id').where('lists.accountId', '=', a),
  ],
  'the table that a delete uses': [
    'contacts',
    (db) =>
      db
        .deleteFrom('lists')
        .using('contacts')
        .where('lists.accountId', '=', a)
        .whereRef('contacts.id', '=', 'lists.name'),
  ],
  'the table that an update reads': [
    'contacts',
    (db) => db.updateTable('lists').from('contacts').set({ name: 'x' }).where('lists.accountId', '=', a),
  ],
  'a subquery in select': [
    'list_members',
    (db) =>
      db
        .selectFrom('lists as l')
        .select((eb) => eb.selectFrom('listMembers as m').select('m.listId').whereRef('m.listId', '=', 'l.id').as('x'))
        .where('l.accountId', '=', a),
  ],
  'a subquery in where': [
    'opt_outs',
    (db) =>
      db
        .selectFrom('contacts')
        .select('id')
        .where('accountId', '=', a)
        .where((eb) => eb.exists(eb.selectFrom('optOuts').select('hash'))),
  ],
  'a subquery in from': [
    'lists',
    (db) => db.selectFrom((eb) => eb.selectFrom('lists').selectAll().as('l')).selectAll(),
  ],
  'a subquery in a join': [
    'list_members',
    (db) =>
      db
        .selectFrom('lists as l')
        .leftJoin(
          (eb) => eb.selectFrom('listMembers').select(['accountId', 'listId']).as('m'),
          (join) => join.onRef('m.accountId', '=', 'l.accountId'),
        )
        .select('m.listId')
        .where('l.accountId', '=', a),
  ],
  'a lateral subquery': [
    'list_members',
    (db) =>
      db
        .selectFrom('lists as l')
        .leftJoinLateral(
          (eb) => eb.selectFrom('listMembers as m').select('m.contactId').whereRef('m.listId', '=', 'l.id').as('m'),
          (join) => join.onTrue(),
        )
        .select('m.contactId')
        .where('l.accountId', '=', a),
  ],
  'a CTE': [
    'lists',
    (db) =>
      db
        .with('page', (q) => q.selectFrom('lists').select('id'))
        .selectFrom('page')
        .selectAll(),
  ],
  'a join with a column of a CTE that only looks like an account': [
    'lists',
    (db) =>
      db
        .with('page', (q) => q.selectFrom('contacts').select(['email as accountId']).where('accountId', '=', a))
        .selectFrom('page')
        .innerJoin('lists', (join) => join.onRef('lists.accountId', '=', sql.ref('page.account_id')))
        .selectAll(),
  ],
  'the second part of a union': [
    'contacts',
    (db) =>
      db
        .selectFrom('lists')
        .select('id as x')
        .where('accountId', '=', a)
        .union(db.selectFrom('contacts').select('id as x') as never),
  ],
  'a subquery in raw SQL': [
    'lists',
    (db) => db.selectFrom('installation').select(sql`(${db.selectFrom('lists').select('id')})`.as('x')),
  ],
  'a table in raw SQL': ['lists', (db) => ({ compile: () => sql`select from ${sql.table('lists')}`.compile(db) })],
  'an insert': ['lists', (db) => db.insertInto('lists').values({ id: 'lst_1', name: 'x' } as never)],
  'one row of several': [
    'lists',
    (db) =>
      db.insertInto('lists').values([{ accountId: a, id: 'lst_1', name: 'x' }, { id: 'lst_2', name: 'x' } as never]),
  ],
  'an insert of what another table has': [
    'lists',
    (db) =>
      db
        .insertInto('lists')
        .columns(['accountId', 'id', 'name'])
        .expression(
          (eb) =>
            eb
              .selectFrom('installation')
              .select(['ownerAccountId', sql`'lst_1'`.as('id'), sql`'x'`.as('name')]) as never,
        ),
  ],
  'a conflict in a key without the account': [
    'users',
    (db) =>
      db
        .insertInto('users')
        .values({ accountId: a, id: 'usr_1', email: 'x', passwordHash: 'x', isOwner: false })
        .onConflict((c) => c.column('email').doUpdateSet({ isOwner: true })),
  ],
  'a row that is moved': [
    'lists',
    (db) => db.updateTable('lists').set({ accountId: 'acc_2' }).where('accountId', '=', a),
  ],
}

test('a query that leaves the account open in any table is refused, and the error names the table', () => {
  for (const [name, [table, query]] of Object.entries(unnamed)) {
    assert.throws(() => query(db).compile(), new RegExp(`\\b${table}\\b`), name)
  }
})

test('across accounts the same queries can be built', () => {
  for (const [name, [, query]] of Object.entries(unnamed)) {
    assert.doesNotThrow(() => query(acrossAccounts(db)).compile(), name)
  }
})

test('the check also holds in a transaction', async () => {
  await using database = await makeDatabase()
  await using db = openDb(database.address, pino({ enabled: false }), 1)
  const all = (db: Db) => db.selectFrom('lists').select('id').execute()
  await db.transaction().execute(async (tx) => {
    await assert.rejects(all(tx), /lists/)
    assert.deepEqual(await all(acrossAccounts(tx)), [])
  })
})
