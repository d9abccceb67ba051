import { limits } from '@patchbay/contract/limits.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { retryConflicts } from '../../platform/database/retry-conflicts.ts'
import { retryOnLostConnection } from '../../platform/database/retry-on-lost-connection.ts'
import { hasSqlState } from '../../platform/database/sql-state.ts'
import type { IdempotencyKey } from '../../platform/idempotency/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { parseEmail } from '../../platform/text/email.ts'
import type { Account } from '../accounts/store.ts'
import { type DecimalText, readAmount } from './amount.ts'
import { findGrant, type Granted, type GrantOutcome, type GrantRow, writeGrant } from './store.ts'

export type GrantRequest = {
  agency: Pick<Account, 'id' | 'kind'>
  /** Of the sub-account. */
  email: string
  /** In credits; in the caller's own notation, where that is known. */
  amount: number | DecimalText
  description?: string | undefined
  /** Who did it: the API, the operator, or a user by id. */
  actor: 'api' | 'operator' | `usr_${string}`
  idempotencyKey?: IdempotencyKey | undefined
}

/**
 * Grants credits, and returns once that is committed, with the balance that this grant left. Two equal requests are two
 * grants; with the same idempotency key they are one for ever, and every request gets the same answer. Balance and history
 * change by one statement, so a crash leaves all of a grant or nothing.
 */
export async function grantCredits(db: Db, request: GrantRequest): Promise<Granted> {
  const row = readRequest(request)
  const outcome = await retryOnLostConnection(async (triedBefore) => {
    // Nobody knows whether a broken connection has committed; the entry says so.
    const written = triedBefore > 0 ? await findGrant(db, row) : undefined
    return written ?? writeOnce(db, row)
  })
  return grantedOrThrow(request, outcome)
}

/** Grants as part of a transaction. Not `isNew`: its key has made it before. */
export async function grantWithin(tx: Tx, request: GrantRequest): Promise<Granted & { isNew: boolean }> {
  const row = readRequest(request)
  const granted = grantedOrThrow(request, await writeOnce(tx, row))
  return { ...granted, isNew: granted.entryId === row.entryId }
}

function writeOnce(db: Db, row: GrantRow): Promise<GrantOutcome> {
  return retryConflicts(() => writeGrant(db, row)).catch(nameOverflow)
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
  if (description.length <= limits.descriptionCharacters || [...description].length <= limits.descriptionCharacters)
    return
  const limit = limits.descriptionCharacters
  throw new Refusal('INVALID_REQUEST', `description must have at most ${limit} characters.`)
}

function grantedOrThrow({ email }: GrantRequest, outcome: GrantOutcome): Granted {
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
