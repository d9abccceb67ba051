import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './config.ts'
import type { Tx } from './db.ts'
import { OperatorError } from './operator-error.ts'

/** The key that encrypts what must be readable again: webhook secrets and provider keys. */
export async function readSecretKey(config: Config): Promise<Buffer> {
  const text = config.secretKey ?? (await keyFromFile(config))
  return Buffer.from(hkdfSync('sha256', text, '', 'patchbay secrets at rest', 32))
}

async function keyFromFile({ databaseUrl, dataDir }: Config): Promise<string> {
  if (databaseUrl !== undefined) {
    throw new OperatorError(
      'DATABASE_URL needs SECRET_KEY too: the same on every machine, such as the output of: openssl rand -base64 32',
    )
  }
  const file = join(dataDir, 'secret.key')
  const present = await readFile(file, 'utf8').catch(() => undefined)
  if (present !== undefined) return present.trim()
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  // Written aside and linked into place: it appears whole or not at all, and the first of two makers wins.
  const unfinished = `${file}.${process.pid}`
  await writeFile(unfinished, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })
  await link(unfinished, file).catch(() => {})
  await rm(unfinished, { force: true })
  return (await readFile(file, 'utf8')).trim()
}

/**
 * Remembers, at the first start, what this key makes of a fixed text, and stops every later start with another
 * key: it would find secrets it cannot read, and write some that nobody else can.
 */
export async function checkSecretKey(tx: Tx, secretKey: Buffer): Promise<void> {
  const check = createHmac('sha256', secretKey).update('patchbay secret key check').digest('hex')
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
