import type { CreatedAccount } from '../src/business/accounts/create.ts'
import { createList } from '../src/people/lists/change.ts'
import type { Config } from '../src/platform/config/config.ts'
import type { Db, Tx } from '../src/platform/database/db.ts'
import { migrate, underMigrationLock } from '../src/platform/database-setup/migrate.ts'
import type { ListId } from '../src/platform/ids.ts'
import { checkSecretKey, readOrMakeSecretKey } from '../src/platform/secrets/secret-key.ts'
import { openAccount } from './open-account.ts'

export type FirstStart = { owner: CreatedAccount; listId: ListId }

/** `firstStart` is undefined when an owner existed already. */
export type PreparedDatabase = { secretKey: Buffer; firstStart: FirstStart | undefined }

/**
 * Makes the database ready to serve: schema, secret key, and on the very first start an owner with a key and a list.
 * All of it commits together under the migration lock, so of two first starts only one creates the owner.
 */
export async function prepareDatabase(
  db: Db,
  config: Config,
  { keep, onWait, onMigrated }: Hooks = {},
): Promise<PreparedDatabase> {
  let migrated: Migrated | undefined
  async function prepare(tx: Tx): Promise<PreparedDatabase> {
    const secretKey = await readOrMakeSecretKey(tx, config)
    const startedAt = performance.now()
    const { from, to } = await migrate(tx)
    migrated = to > from ? { from, to, ms: Math.round(performance.now() - startedAt) } : undefined
    await checkSecretKey(tx, secretKey)
    if (await hasOwner(tx)) return { secretKey, firstStart: undefined }
    const firstStart = await makeOwner(tx, config)
    await keep?.(firstStart)
    return { secretKey, firstStart }
  }
  const prepared = await underMigrationLock(db, prepare, onWait ? { onWait } : {})
  if (migrated) onMigrated?.(migrated)
  return prepared
}

/** `keep` gets the credentials before the commit, so that no account is created whose credentials are lost. */
type Hooks = {
  keep?: (made: FirstStart) => Promise<void>
  onWait?: (reason: string) => void
  onMigrated?: (migrated: Migrated) => void
}

/** The schema before and after, and how long that took. */
export type Migrated = { from: number; to: number; ms: number }

async function hasOwner(tx: Tx): Promise<boolean> {
  const { ownerAccountId } = await tx.selectFrom('installation').select('ownerAccountId').executeTakeFirstOrThrow()
  return ownerAccountId !== null
}

async function makeOwner(tx: Tx, { owner: given }: Config): Promise<FirstStart> {
  const owner = await openAccount(tx, 'agency', { ...given, email: given.email ?? 'owner@patchbay.local' })
  const listId = await createList(tx, owner.accountId, 'My first list')
  await tx.updateTable('installation').set({ ownerAccountId: owner.accountId }).execute()
  return { owner, listId }
}
