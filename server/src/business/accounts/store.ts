import { sql } from 'kysely'
import type { Pool } from 'pg'
import { acrossAccounts, type Db, type Tx } from '../../platform/database/db.ts'
import { prepared } from '../../platform/database/prepared.ts'
import type { AccountId, UserId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'

export type AccountKind = 'standard' | 'agency' | 'subaccount'
export type Account = { id: AccountId; kind: AccountKind; agencyId: AccountId | null }

export async function insertAccount(tx: Tx, account: Account): Promise<void> {
  await tx.insertInto('accounts').values(account).execute()
}

type NewUser = { id: UserId; accountId: AccountId; name?: string; email: string; passwordHash: string }

/** Inserts the owner who holds a new account, as `insertUser` does. */
export async function insertOwner(tx: Tx, owner: NewUser): Promise<boolean> {
  return insertUser(tx, { ...owner, isOwner: true, isHolder: true })
}

/** Returns false when the e-mail address already signs in to some account. */
export async function insertUser(tx: Tx, user: NewUser & { isOwner: boolean; isHolder?: boolean }): Promise<boolean> {
  const inserted = await tx
    .insertInto('users')
    .values(user)
    .onConflict((c) => c.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Replaces the key in one statement: the account never has two keys, or none. */
export async function replaceKey(db: Db, accountId: AccountId, keyHash: Buffer): Promise<void> {
  await db
    .insertInto('apiKeys')
    .values({ accountId, keyHash })
    .onConflict((c) => c.column('accountId').doUpdateSet({ keyHash, createdAt: sql`now()` }))
    .execute()
}

export type KeyHolder = {
  accountId: AccountId
  kind: AccountKind
  rateLimitPerMinute: number | null
  botActive: boolean
}

/** The holders of those keys that exist, by the key's hash in hex. */
export async function findKeyHolders(pool: Pool, keyHashes: Buffer[]): Promise<Map<string, KeyHolder>> {
  // Named, and with one parameter for any number of keys: it is planned once per connection.
  const { rows } = await pool.query<KeyHolder & { keyHash: string }>(prepared(statements, 'find-keys', [keyHashes]))
  return new Map(rows.map(({ keyHash, ...holder }) => [keyHash, holder]))
}

const findKeyHoldersQuery = `
select encode(k.key_hash, 'hex') as "keyHash", a.id as "accountId", a.kind,
  a.rate_limit_per_minute as "rateLimitPerMinute", a.bot_active as "botActive"
from api_keys k join accounts a on a.id = k.account_id
where k.key_hash = any ($1::bytea[])
`

export const statements = { 'find-keys': findKeyHoldersQuery }

/** Finds an account for the operator, by its id or by an e-mail address that signs in to it. */
export async function findAccount(db: Db, name: string): Promise<Account> {
  if (name === '') return findOnlyAccount(db) // a command that was given none means the one there is
  // Across accounts: which one it is, is what is asked.
  const account = await acrossAccounts(db)
    .selectFrom('accounts as a')
    .leftJoin('users as u', (join) =>
      join.onRef('u.accountId', '=', 'a.id').on('u.email', '=', name.trim().toLowerCase()),
    )
    .select(['a.id', 'a.kind', 'a.agencyId'])
    .where((where) => where.or([where('a.id', '=', name as AccountId), where('u.id', 'is not', null)])) // an operator may give any text
    .executeTakeFirst()
  if (!account) throw new Refusal('NOT_FOUND', `There is no account ${name}; give its e-mail address or its id.`)
  return account
}

async function findOnlyAccount(db: Db): Promise<Account> {
  // Across accounts: whether there is one.
  const [account, another] = await acrossAccounts(db)
    .selectFrom('accounts as a')
    .select(['a.id', 'a.kind', 'a.agencyId'])
    .limit(2)
    .execute()
  if (account && !another) return account
  const reason = account ? 'there are several' : 'there is none yet'
  throw new Refusal('INVALID_REQUEST', `--account is missing, and ${reason}; npx patchbay account show lists them.`)
}

/** Sets the holder's password, and returns whose it is. */
export async function setHolderPassword(tx: Tx, accountId: AccountId, passwordHash: string): Promise<UserId> {
  const { id } = await tx
    .updateTable('users')
    .set({ passwordHash })
    .where('accountId', '=', accountId)
    .where('isHolder', '=', true)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function setRateLimit(db: Db, accountId: AccountId, rateLimitPerMinute: number | null): Promise<void> {
  await db.updateTable('accounts').set({ rateLimitPerMinute }).where('id', '=', accountId).execute()
}

export async function setBotActive(db: Db, accountId: AccountId, botActive: boolean): Promise<void> {
  await db.updateTable('accounts').set({ botActive }).where('id', '=', accountId).execute()
}

type AccountSummary = {
  accountId: AccountId
  userId: UserId
  email: string
  kind: AccountKind
  agencyId: AccountId | null
  rateLimitPerMinute: number | null
  createdAt: Date
}

/** All accounts with their owners, oldest first; or those of one agency, or one. */
export async function listAccounts(
  db: Db,
  of: { agencyId?: AccountId | undefined; accountId?: AccountId | undefined },
): Promise<AccountSummary[]> {
  // Across accounts: operators see all of them, and agencies their own sub-accounts.
  let query = acrossAccounts(db)
    .selectFrom('accounts as a')
    .innerJoin('users as u', (join) => join.onRef('u.accountId', '=', 'a.id').on('u.isHolder', '=', true))
    .select([
      'a.id as accountId',
      'u.id as userId',
      'u.email',
      'a.kind',
      'a.agencyId',
      'a.rateLimitPerMinute',
      'a.createdAt',
    ])
    .$narrowType<{ email: string }>() // of a holder, who is never removed
    .orderBy('a.createdAt')
    .orderBy('a.id')
  if (of.agencyId !== undefined) query = query.where('a.agencyId', '=', of.agencyId)
  if (of.accountId !== undefined) query = query.where('a.id', '=', of.accountId)
  return query.execute()
}

/** The account that the first start created. */
export async function findInstallationOwner(db: Db): Promise<AccountId | undefined> {
  const found = await db.selectFrom('installation').select('ownerAccountId').executeTakeFirst()
  return found?.ownerAccountId ?? undefined
}

/** The user who holds the account: its e-mail address names it. */
export async function findOwnerId(db: Db, accountId: AccountId): Promise<UserId> {
  const { id } = await db
    .selectFrom('users')
    .select('id')
    .where('accountId', '=', accountId)
    .where('isHolder', '=', true)
    .executeTakeFirstOrThrow()
  return id
}

/** Whether PostgreSQL knows a zone, exactly as it spells it. */
export async function isKnownZone(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql`select from pg_timezone_names where name = ${name}`.execute(db)
  return rows.length > 0
}

/** Returns the zone before. */
export async function setTimeZone(tx: Tx, accountId: AccountId, timeZone: string): Promise<string | undefined> {
  const before = await tx
    .selectFrom('accounts')
    .select('timeZone')
    .where('id', '=', accountId)
    .forUpdate()
    .executeTakeFirst()
  await tx.updateTable('accounts').set({ timeZone }).where('id', '=', accountId).execute()
  return before?.timeZone
}
