import {
  type RetentionChange,
  type RetentionKind,
  type RetentionRules,
  retentionKinds,
} from '@patchbay/contract/app/retention.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { type By, noteAct, operator } from '../../../business/audit/store.ts'
import type { KeepDays } from '../../../platform/config/keep-days.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'
import { notifyWorkers } from '../../../platform/notify/notify.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { deleteRule, readRules, writeRule } from './rule-store.ts'

/** How long an account keeps things: its own days, and the most that the installation allows. */
export async function showRules(db: Db, accountId: AccountId, keepDays: KeepDays): Promise<RetentionRules> {
  const own = await readRules(db, accountId)
  return { rules: retentionKinds.map((kind) => ({ kind, days: own.get(kind) ?? null, most: keepDays[kind] })) }
}

/**
 * Lets an account keep something for a shorter time than the installation does, or again for as long as that. What is over by
 * it is removed from now on.
 */
export async function setRule(
  { db, keepDays }: { db: Db; keepDays: KeepDays },
  accountId: AccountId,
  { kind, keepDays: days }: RetentionChange,
  by: By = operator,
): Promise<void> {
  const most = keepDays[kind]
  const { from, to } = limits.keepDays
  if (days !== null && !(Number.isInteger(days) && days >= from && days <= to)) {
    throw new Refusal('INVALID_REQUEST', `The days must be a whole number from ${from} to ${to}.`)
  }
  if (days !== null && most !== null && days > most) {
    throw new Refusal('INVALID_REQUEST', `This installation keeps ${namesOf[kind]} for ${most} days at most.`)
  }
  await db.transaction().execute(async (tx) => {
    if (days === null) await deleteRule(tx, accountId, kind)
    else await writeRule(tx, accountId, { kind, days })
    await noteAct(tx, accountId, { act: 'retention changed', ...by, details: { kind, days: days ?? 'default' } })
  })
  await notifyWorkers(db, 'retention')
}

const namesOf: Record<RetentionKind, string> = {
  messages: 'messages',
  attachments: 'files',
  answers: 'answers',
  attempts: 'attempts',
  unanswered: 'unanswered questions',
  calls: 'calls',
  visitors: 'visitors of a website',
}
