import { limits } from '@patchbay/contract/limits.ts'
import type { Tx } from '../../platform/database/db.ts'
import { hasSqlState } from '../../platform/database/errors.ts'
import type { Pools } from '../../platform/database/pools.ts'
import { retryConflicts } from '../../platform/database/retry.ts'
import { openGroupCommit } from '../../platform/group-commit/group-commit.ts'
import { writeMissing } from '../../platform/group-commit/write-missing.ts'
import type { IdempotencyKey } from '../../platform/idempotency/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import type { CommitMeter } from '../../platform/metrics/instruments.ts'
import { Refusal } from '../../platform/refusal.ts'
import { parseEmail } from '../../platform/text/email.ts'
import type { Account } from '../accounts/store.ts'
import { type DecimalText, readAmount } from './amount.ts'
import { findGrants, type GrantEntry, type GrantOutcome, type GrantRow, writeGrant, writeGrants } from './store.ts'

export type GrantRequest = {
  agency: Pick<Account, 'id' | 'kind'>
  /** The e-mail address of the sub-account. */
  email: string
  /** The amount in credits; in the caller's own notation, where that is known. */
  amount: number | DecimalText
  description?: string | undefined
  /** Who did it: the API, the operator, or a user by id. */
  actor: 'api' | 'operator' | `usr_${string}`
  idempotencyKey?: IdempotencyKey | undefined
}

/** Returns once the grant is committed, with the balance that this grant left. */
export type Grant = (request: GrantRequest) => Promise<GrantEntry>

/**
 * Grants credits. Two equal requests are two grants; with the same idempotency key they are one for ever, and every
 * request gets the same answer. Balance and history change together, so a crash leaves all of a grant or nothing.
 * Concurrent grants share a commit.
 */
export function openGrant(pools: Pools, meter?: CommitMeter): Grant {
  const write = (rows: GrantRow[]) => writeGrants(pools.batch, rows)
  const keep = openGroupCommit(write, {
    lockOf: ({ agencyId, email }) => `${agencyId} ${email}`,
    ownerOf: ({ agencyId }) => agencyId,
    meter,
    writeWithLockWait: (owner, rows) => pools.withLockWait(owner, (pool) => writeGrants(pool, rows)),
    writeAgain: (rows) => writeMissing(rows, (asked) => findGrants(pools.batch, asked), write),
  })
  return async (request) => grantedOrThrow(request, await keep(readRequest(request)).catch(nameOverflow))
}

/** Grants as part of a transaction. Not `isNew`: its key has made it before. */
export async function grantWithin(tx: Tx, request: GrantRequest): Promise<GrantEntry & { isNew: boolean }> {
  const row = readRequest(request)
  const granted = grantedOrThrow(request, await retryConflicts(() => writeGrant(tx, row)).catch(nameOverflow))
  return { ...granted, isNew: granted.entryId === row.entryId }
}

function readRequest({ agency, email, amount, description, actor, idempotencyKey }: GrantRequest): GrantRow {
  if (agency.kind !== 'agency') throw new Refusal('NOT_AN_AGENCY', 'Only an agency grants credits to sub-accounts.')
  const login = parseEmail(email)
  if (!login) throw new Refusal('INVALID_EMAIL', 'email must be an e-mail address, such as ana@example.com.')
  const units = readAmount(amount)
  checkDescription(description)
  const key = { key: idempotencyKey?.key, bodyHash: idempotencyKey?.bodyHash }
  return { agencyId: agency.id, email: login, entryId: newId('led'), amount: units, description, actor, ...key }
}

/** The same limit as in the API's schema, for callers that do not pass it. */
export function checkDescription(description = ''): void {
  const limit = limits.descriptionCharacters
  if (description.length <= limit || [...description].length <= limit) return
  throw new Refusal('INVALID_REQUEST', `description must have at most ${limit} characters.`)
}

function grantedOrThrow({ email }: GrantRequest, outcome: GrantOutcome): GrantEntry {
  if (outcome === 'unknown') {
    throw new Refusal('SUBACCOUNT_NOT_FOUND', `This agency has no sub-account with the e-mail address ${email}.`)
  }
  if (outcome === 'other body') {
    throw new Refusal('INVALID_REQUEST', 'Idempotency-Key was used with another body; use a new key for a new request.')
  }
  return outcome
}

/** The table's check refuses a balance that a JSON number cannot represent exactly. */
function nameOverflow(error: unknown): never {
  if (hasSqlState(error, '23514')) {
    throw new Refusal('INVALID_AMOUNT', 'amount would take the balance to 100,000,000,000 credits or more.')
  }
  throw error
}
