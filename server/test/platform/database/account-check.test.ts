import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { type Db, openDb } from '../../../src/platform/database/db.ts'

/** Queries are built and never sent: nothing listens there. */
const db = openDb({ host: '127.0.0.1', user: 'nobody', database: 'none' }, pino({ enabled: false }), 1)

const a = 'acc_1' as const
type Query = (db: Db) => { compile: () => unknown }

const named: Record<string, Query> = {
  'a select': (db) => db.selectFrom('contacts').select('id').where('accountId', '=', a),
  'an update': (db) =>
    db.updateTable('contacts').set({ phone: null }).where('accountId', '=', a).where('id', '=', 'con_1'),
  'a delete': (db) => db.deleteFrom('lists').where('accountId', '=', a),
  'an insert': (db) => db.insertInto('lists').values({ accountId: a, id: 'lst_1', name: 'x' }),
  'the account itself, by its id': (db) => db.selectFrom('accounts').select('kind').where('id', '=', a),
  'a table without accounts': (db) => db.selectFrom('installation').selectAll(),
  'a chain of joins': (db) =>
    db
      .selectFrom('lists as l')
      .leftJoin('listMembers as m', (join) =>
        join.onRef('m.accountId', '=', 'l.accountId').onRef('m.listId', '=', 'l.id'),
      )
      .innerJoin('contacts as p', (join) =>
        join.onRef('p.accountId', '=', 'm.accountId').onRef('p.id', '=', 'm.contactId'),
      )
      .innerJoin('accounts as a', 'a.id', 'l.accountId')
      .select('p.id')
      .where('l.accountId', '=', a),
  'an inner join that names the account': (db) =>
    db
      .selectFrom('lists as l')
      .innerJoin('listMembers as m', (join) => join.on('m.accountId', '=', a).onRef('m.accountId', '=', 'l.accountId'))
      .select('l.id'),
  'a correlated subquery': (db) =>
    db
      .selectFrom('lists as l')
      .select((eb) =>
        eb.selectFrom('listMembers as m').select('m.listId').whereRef('m.accountId', '=', 'l.accountId').as('x'),
      )
      .where('l.accountId', '=', a),
  'a lateral subquery': (db) =>
    db
      .selectFrom('lists as l')
      .innerJoinLateral(
        (eb) =>
          eb.selectFrom('listMembers as m').select('m.contactId').whereRef('m.accountId', '=', 'l.accountId').as('m'),
        (join) => join.onTrue(),
      )
      .select('m.contactId')
      .where('l.accountId', '=', a),
  'a CTE and a join with its account': (db) =>
    db
      .with('page', (q) => q.selectFrom('lists').select(['accountId', 'id']).where('accountId', '=', a))
      .selectFrom('page')
      .innerJoin('listMembers as m', 'm.accountId', 'page.accountId')
      .select('m.listId'),
  'a CTE that deletes, and an insert of what it returns': (db) =>
    db
      .with('gone', (q) => q.deleteFrom('lists').where('accountId', '=', a).returning(['accountId', 'id', 'name']))
      .insertInto('lists')
      .columns(['accountId', 'id', 'name'])
      .expression((eb) => eb.selectFrom('gone').select(['gone.accountId', 'gone.id', 'gone.name'])),
  'a subquery in from': (db) =>
    db
      .selectFrom((eb) => eb.selectFrom('lists').selectAll().where('accountId', '=', a).as('l'))
      .innerJoin('listMembers as m', 'm.accountId', 'l.accountId')
      .select('m.listId'),
  'several rows': (db) =>
    db.insertInto('optOuts').values([
      { accountId: a, hash: Buffer.of(1), createdAt: sql`now()` },
      { accountId: a, hash: Buffer.of(2) },
    ]),
  'a conflict in a key with the account': (db) =>
    db
      .insertInto('lists')
      .values({ accountId: a, id: 'lst_1', name: 'x' })
      .onConflict((c) => c.columns(['accountId', 'id']).doUpdateSet({ name: 'y' })),
  'a conflict in a key without it, limited to the account': (db) =>
    db
      .insertInto('users')
      .values({ accountId: a, id: 'usr_1', email: 'x', passwordHash: 'x', isOwner: false })
      .onConflict((c) =>
        c.column('email').doUpdateSet({ isOwner: true }).whereRef('users.accountId', '=', 'excluded.accountId'),
      ),
  'an account and further conditions joined by or': (db) =>
    db
      .selectFrom('contacts')
      .select('id')
      .where((eb) => eb.and([eb('accountId', '=', a), eb.or([eb('phone', '=', '1'), eb('email', '=', 'x')])])),
}

test('a query that names the account in every table can be built', () => {
  for (const [name, query] of Object.entries(named)) assert.doesNotThrow(() => query(db).compile(), name)
})
