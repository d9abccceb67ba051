import { limits } from '@patchbay/contract/limits.ts'
import type { Account } from '../accounts/store.ts'
import type { Tx } from '../platform/database/db.ts'
import type { Pools } from '../platform/database/pools.ts'
import { retryConflicts } from '../platform/database/retry-conflicts.ts'
import { hasSqlState } from '../platform/database/sql-state.ts'
import { openGroupCommit } from '../platform/group-commit/group-commit.ts'
import { writeMissing } from '../platform/group-commit/write-missing.ts'
import type { IdempotencyKey } from '../platform/idempotency/idempotency.ts'
import { newId } from '../platform/ids.ts'
import { Refusal } from '../platform/refusal.ts'
import { parseEmail } from '../platform/text/email.ts'
import { type DecimalText, readAmount } from './amount.ts'
import { findGrants, type Granted, type GrantOutcome, type GrantRow, writeGrant, writeGrants } from './store.ts'

type GrantOrder = {
  agency: Pick<Account, 'id' | 'kind'>
  /** Of the sub-account. */
  email: string
  /** In credits; as it was written down, where that is known. */
  amount: number | DecimalText
  description?: string | undefined
  /** Who did it: the API, the operator, or a user by id. */
  actor: 'api' | 'operator' | `usr_${string}`
  idempotencyKey?: IdempotencyKey | undefined
}

/** Returns once the grant is safe, with the balance that it left, whatever came after it. */
export type Grant = (order: GrantOrder) => Promise<Granted>

/**
 * Grants credits. Two equal grants are two grants; with a key of the agency's own it is one for ever, and whoever asks
 * again gets the same answer. Balance and history change together, so a crash leaves all of a grant or nothing. Grants of
 * one moment share a commit.
 */
export function openGrant(pools: Pools): Grant {
  const write = (rows: GrantRow[]) => writeGrants(pools.batch, rows)
  const keep = openGroupCommit(write, {
    lockOf: ({ agencyId, email }) => `${agencyId} ${email}`,
    ownerOf: ({ agencyId }) => agencyId,
    writeWithLockWait: (owner, rows) => pools.withLockWait(owner, (pool) => writeGrants(pool, rows)),
    writeAgain: (rows) => writeMissing(rows, (asked) => findGrants(pools.batch, asked), write),
  })
  return async (order) => judge(order, await keep(readOrder(order)).catch(nameOverflow))
}

/** The same as part of a transaction. */
export async function grantWithin(tx: Tx, order: GrantOrder): Promise<Granted> {
  const row = readOrder(order)
  return judge(order, await retryConflicts(() => writeGrant(tx, row)).catch(nameOverflow))
}

function readOrder({ agency, email, amount, description, actor, idempotencyKey }: GrantOrder): GrantRow {
  if (agency.kind !== 'agency') throw new Refusal('NOT_AN_AGENCY', 'Only an agency grants credits to sub-accounts.')
  const login = parseEmail(email)
  if (!login) throw new Refusal('INVALID_EMAIL', 'email must be an e-mail address, such as ana@example.com.')
  const units = readAmount(amount)
  checkDescription(description)
  const key = { key: idempotencyKey?.key, bodyHash: idempotencyKey?.bodyHash }
  return { agencyId: agency.id, email: login, entryId: newId('led'), amount: units, description, actor, ...key }
}

/** As the API's own schema does for its callers. */
export function checkDescription(description = ''): void {
  if (description.length <= limits.descriptionCharacters || [...description].length <= limits.descriptionCharacters)
    return
  const limit = limits.descriptionCharacters
  throw new Refusal('INVALID_REQUEST', `description must have at most ${limit} characters.`)
}

function judge({ email }: GrantOrder, outcome: GrantOutcome): Granted {
  if (outcome === 'unknown') {
    throw new Refusal('SUBACCOUNT_NOT_FOUND', `This agency has no sub-account with the e-mail address ${email}.`)
  }
  if (outcome === 'other body') {
    throw new Refusal('INVALID_REQUEST', 'Idempotency-Key was used with another body; use a new key for a new request.')
  }
  return outcome
}

/** The table refuses a balance that no JSON number could tell exactly. */
function nameOverflow(error: unknown): never {
  if (hasSqlState(error, '23514')) {
    throw new Refusal('INVALID_AMOUNT', 'amount would take the balance to 100,000,000,000 credits or more.')
  }
  throw error
}
