import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { link, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import type { Config } from '../config/config.ts'
import type { Db, Tx } from '../database/db.ts'
import { ignoreExisting, syncFolder, writeSynced } from '../files.ts'
import { OperatorError } from '../operator-error.ts'

/** The key that encrypts secrets that must be decrypted again: webhook secrets and provider keys. Never makes one. */
export async function readSecretKey(config: Config): Promise<Buffer> {
  return deriveSecretKey(await readKeyText(config))
}

function deriveSecretKey(text: string): Buffer {
  return Buffer.from(hkdfSync('sha256', text, '', 'patchbay secrets at rest', 32))
}

/** The key as the operator has it: SECRET_KEY, or what is in the file. */
export async function readKeyText(config: Config): Promise<string> {
  const text = await findKeyText(config)
  if (text === undefined) throw isMissing(fileOf(config))
  return text
}

/** Returns undefined where the file is not there. Refuses what can be refused before the database is open. */
export async function findKeyText(config: Config): Promise<string | undefined> {
  if (config.secretKey !== undefined) return config.secretKey
  if (config.databaseUrl === undefined) return readKey(fileOf(config))
  throw new OperatorError(
    'DATABASE_URL needs SECRET_KEY too: the same on every machine, such as the output of: openssl rand -base64 32',
  )
}

function fileOf({ dataDir }: Config): string {
  return join(dataDir, 'secret.key')
}

/**
 * Reads the key, and makes it for a database that was never set up with one. A database that runs has the lock of its
 * folder, so no restore puts another one there meanwhile; and one that was set up has secrets that a new key could not
 * decrypt.
 */
export async function readOrMakeSecretKey(tx: Tx, config: Config): Promise<Buffer> {
  const text = await findKeyText(config)
  if (text !== undefined) return deriveSecretKey(text)
  if (await wasSetUp(tx)) throw isMissing(fileOf(config))
  await makeKey(fileOf(config))
  return readSecretKey(config)
}

/** Whether the database was set up; asked before the migrations too, of which the first makes the table. */
async function wasSetUp(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`select to_regclass('installation') is not null as exists`.execute(tx)
  if (!rows[0]?.exists) return false
  return (await sql`select from installation`.execute(tx)).rows.length > 0
}

/** Writes and links a temporary file: the key appears complete or not at all, and the first of two processes wins. */
async function makeKey(file: string): Promise<void> {
  const temporary = `${file}.${randomBytes(4).toString('hex')}`
  await writeSynced(temporary, `${randomBytes(32).toString('base64url')}\n`)
  await link(temporary, file).catch(ignoreExisting)
  await rm(temporary, { force: true })
  await syncFolder(dirname(file))
}

function isMissing(file: string): OperatorError {
  return new OperatorError(
    `${file} is missing, and the secrets in the database cannot be read without it: put back the key that the database ` +
      'was set up with, from where you keep it or from a backup made with --with-secret-key, or give it as SECRET_KEY.',
  )
}

/** The same minimum as for SECRET_KEY. A crash before the sync leaves an empty file. */
const minLength = 16

async function readKey(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    if (cause.code === 'ENOENT') return undefined
    throw new OperatorError(`The secret key in ${file} cannot be read (${cause.code}).`, { cause })
  })
  if (text === undefined || text.trim().length >= minLength) return text?.trim()
  throw new OperatorError(
    `${file} is empty or cut short, and the secrets in the database cannot be read without it; put it back from your ` +
      'backup. If there are none yet, as before the first start, remove the file and start again.',
  )
}

/**
 * Stores the HMAC of a fixed text with this key at the first start, and stops every later start with another key: that
 * process could not decrypt the stored secrets, and others could not decrypt those that it writes.
 */
export async function checkSecretKey(tx: Tx, secretKey: Buffer): Promise<void> {
  const check = checkValueOf(secretKey)
  await tx
    .insertInto('installation')
    .values({ secretKeyCheck: check })
    .onConflict((c) => c.column('one').doNothing())
    .execute()
  const { secretKeyCheck } = await tx.selectFrom('installation').select('secretKeyCheck').executeTakeFirstOrThrow()
  if (secretKeyCheck !== check) {
    throw new OperatorError('SECRET_KEY is not the one this database was set up with; give the first one back.')
  }
}

function checkValueOf(secretKey: Buffer): string {
  return createHmac('sha256', secretKey).update('patchbay secret key check').digest('hex')
}

/** Whether this is the text of the key that the database was set up with; true for a database without any. */
export async function isKeyOf(db: Db, text: string): Promise<boolean> {
  const found = await db.selectFrom('installation').select('secretKeyCheck').executeTakeFirst()
  return found === undefined || found.secretKeyCheck === checkValueOf(deriveSecretKey(text))
}
