import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { limits } from '@patchbay/contract/limits.ts'
import { sql } from 'kysely'
import { pino } from 'pino'
import { attach, findMedia, readMedia, storeMedia } from '../../../src/journey/media/store.ts'
import { acrossAccounts, type Db, openDb, type Tx } from '../../../src/platform/database/db.ts'
import { type AccountId, type MessageId, newId } from '../../../src/platform/ids.ts'
import { makeDatabase } from '../../helpers/databases.ts'
import { untilLockWait } from '../../helpers/rows.ts'

const chunkBytes = 256 * 1024
const shop = newId('acc')
const rival = newId('acc')
const note = { contentType: 'text/plain', bytes: Buffer.from('hello') }

async function openStore(): Promise<{ db: Db; [Symbol.asyncDispose]: () => Promise<void> }> {
  await using opened = new AsyncDisposableStack()
  const database = opened.use(await makeDatabase())
  const db = acrossAccounts(openDb(database.address, pino({ enabled: false })))
  opened.defer(() => db.destroy())
  const running = opened.move()
  return { db, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

function store(db: Db, accountId: AccountId, file: { contentType: string; bytes: Buffer }): Promise<string> {
  return db.transaction().execute((tx) => storeMedia(tx, accountId, file))
}

/** All chunks of a file, as they are read. */
async function readChunks(db: Db, accountId: AccountId, mediaId: string): Promise<Buffer[]> {
  return Array.fromAsync(readMedia(db, accountId, mediaId))
}

async function countRows(db: Db): Promise<{ media: number; chunks: number }> {
  const media = await db.selectFrom('media').select('id').execute()
  const chunks = await db.selectFrom('mediaChunks').select('n').execute()
  return { media: media.length, chunks: chunks.length }
}

async function insertMessage(tx: Tx, accountId: AccountId): Promise<MessageId> {
  const [contactId, id] = [newId('con'), newId('msg')]
  await tx.insertInto('accounts').values({ id: accountId, kind: 'standard' }).execute()
  await tx.insertInto('contacts').values({ accountId, id: contactId, externalId: 'ana' }).execute()
  await tx.insertInto('conversations').values({ accountId, contactId }).execute()
  await tx
    .insertInto('messages')
    .values({
      accountId,
      id,
      contactId,
      seq: '1',
      direction: 'incoming',
      author: 'contact',
      kind: 'text',
      status: 'received',
      body: 'see this',
    })
    .execute()
  return id
}

test('a file is stored under the SHA-256 of its bytes and read back byte for byte, in chunks', async () => {
  await using opened = await openStore()
  const { db } = opened
  for (const size of [1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 3 * chunkBytes, limits.mediaBytes]) {
    const bytes = randomBytes(size)

    const id = await store(db, shop, { contentType: 'application/zip', bytes })

    assert.equal(id, createHash('sha256').update(bytes).digest('hex'))
    assert.deepEqual(await findMedia(db, shop, id), { contentType: 'application/zip', sizeBytes: size })
    const chunks = await readChunks(db, shop, id)
    assert.equal(chunks.length, Math.ceil(size / chunkBytes))
    for (const each of chunks) assert.ok(each.length <= chunkBytes)
    assert.ok(Buffer.concat(chunks).equals(bytes), `${size} bytes`)
  }
})

test('one content is stored once, and its first type stays', async () => {
  await using opened = await openStore()
  const { db } = opened
  const bytes = randomBytes(2 * chunkBytes)

  const first = await store(db, shop, { contentType: 'image/jpg', bytes })
  const before = await db.selectFrom('media').selectAll().execute()
  const second = await store(db, shop, { contentType: 'image/jpeg', bytes: Buffer.from(bytes) })

  assert.equal(second, first)
  assert.deepEqual(await db.selectFrom('media').selectAll().execute(), before)
  assert.deepEqual(await countRows(db), { media: 1, chunks: 2 })
})

test('one content twice in one transaction is stored once', async () => {
  await using opened = await openStore()
  const { db } = opened
  await db.transaction().execute(async (tx) => {
    assert.equal(await storeMedia(tx, shop, note), await storeMedia(tx, shop, note))
  })
  assert.deepEqual(await countRows(db), { media: 1, chunks: 1 })
})

test('many parallel transactions that store one content all succeed, and each can then read the whole file', async () => {
  await using opened = await openStore()
  const { db } = opened
  const bytes = randomBytes(5 * chunkBytes)

  const seen = await Promise.all(
    Array.from({ length: 8 }, () =>
      db.transaction().execute(async (tx) => {
        const id = await storeMedia(tx, shop, { contentType: 'image/png', bytes })
        return Buffer.concat(await readChunks(tx, shop, id)).equals(bytes)
      }),
    ),
  )

  assert.deepEqual(seen, Array(8).fill(true))
  assert.deepEqual(await countRows(db), { media: 1, chunks: 5 })
})

for (const ending of ['commits', 'rolls back']) {
  test(`the second transaction to store a content waits for the first, which ${ending}, and the file is complete`, async () => {
    await using opened = await openStore()
    const { db } = opened
    const bytes = randomBytes(3 * chunkBytes)
    const first = await db.startTransaction().execute()
    await storeMedia(first, shop, { contentType: 'image/png', bytes })

    const second = store(db, shop, { contentType: 'image/jpeg', bytes })
    await untilLockWait(opened)
    await (ending === 'commits' ? first.commit() : first.rollback()).execute()

    const id = await second
    assert.ok(Buffer.concat(await readChunks(db, shop, id)).equals(bytes))
    assert.equal((await findMedia(db, shop, id))?.contentType, ending === 'commits' ? 'image/png' : 'image/jpeg')
    assert.deepEqual(await countRows(db), { media: 1, chunks: 3 })
  })
}

test('a file that was stored already cannot be erased before the transaction that found it ends', async () => {
  await using opened = await openStore()
  const { db } = opened
  await store(db, shop, note)
  await db.transaction().execute(async (tx) => {
    const id = await storeMedia(tx, shop, note)
    const erasing = db.transaction().execute(async (other) => {
      await sql`set local lock_timeout = '50ms'`.execute(other)
      await other.deleteFrom('media').where('id', '=', id).execute()
    })
    await assert.rejects(erasing, /lock timeout/)
  })
  assert.deepEqual(await countRows(db), { media: 1, chunks: 1 })
})

test('accounts with the same content have one copy each, and cannot read another account’s', async () => {
  await using opened = await openStore()
  const { db } = opened

  const [mine, theirs] = [await store(db, shop, note), await store(db, rival, { ...note, contentType: 'text/csv' })]

  assert.equal(mine, theirs)
  assert.deepEqual(await countRows(db), { media: 2, chunks: 2 })
  assert.equal((await findMedia(db, shop, mine))?.contentType, 'text/plain')
  assert.equal((await findMedia(db, rival, mine))?.contentType, 'text/csv')
  const stranger = newId('acc')
  assert.equal(await findMedia(db, stranger, mine), undefined)
  await assert.rejects(readChunks(db, stranger, mine), /there is no media/)
})

test('a transaction that rolls back stores nothing', async () => {
  await using opened = await openStore()
  const { db } = opened
  const failing = db.transaction().execute(async (tx) => {
    const messageId = await insertMessage(tx, shop)
    const mediaId = await storeMedia(tx, shop, { contentType: 'image/png', bytes: randomBytes(2 * chunkBytes) })
    await attach(tx, { accountId: shop, messageId, contentType: 'image/png', mediaId })
    throw new Error('on purpose')
  })
  await assert.rejects(failing, /on purpose/)
  assert.deepEqual(await countRows(db), { media: 0, chunks: 0 })
  assert.deepEqual(await db.selectFrom('attachments').selectAll().execute(), [])
})

test('a file that is erased while it is read ends in an error, never as half a file', async () => {
  await using opened = await openStore()
  const { db } = opened
  const id = await store(db, shop, { contentType: 'image/png', bytes: randomBytes(2 * chunkBytes) })
  const reading = readMedia(db, shop, id)
  await reading.next()
  await db.deleteFrom('media').execute()
  await assert.rejects(reading.next())
})

test('the state of a new attachment is stored or not fetched yet', async () => {
  await using opened = await openStore()
  const { db } = opened
  const url = 'https://example.com/a.png'
  await db.transaction().execute(async (tx) => {
    const mediaId = await storeMedia(tx, shop, note)
    const stored = { accountId: shop, messageId: await insertMessage(tx, shop), contentType: 'text/plain', mediaId }
    await attach(tx, stored)
    const remote = { accountId: rival, messageId: await insertMessage(tx, rival), contentType: 'image/png', url }
    await attach(tx, remote)
    const columns = ['accountId', 'messageId', 'contentType', 'url', 'mediaId', 'state', 'attempts'] as const
    const due = sql<boolean>`due_at is not null`.as('isDue')
    assert.deepEqual(
      await tx.selectFrom('attachments').select(columns).select(due).orderBy('state', 'desc').execute(),
      [
        { ...stored, url: null, state: 'stored', attempts: 0, isDue: false },
        { ...remote, mediaId: null, state: 'not fetched yet', attempts: 0, isDue: true },
      ],
    )
  })
})
