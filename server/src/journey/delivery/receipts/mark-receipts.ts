import type { Db } from '../../../platform/database/db.ts'
import type { Hint } from '../../../platform/notify/hints.ts'
import { type Marks, type Thread, writeMarks } from './receipt-store.ts'

/**
 * Somebody says up to which message everything has reached them, and up to which they have read it. Marks only move forward: what is
 * behind, ahead of what there is, or of another's messages changes nothing.
 */
export async function markReceipts(
  { db, hint }: Readonly<{ db: Db; hint: Hint }>,
  thread: Thread,
  marks: Marks,
): Promise<void> {
  if ((await writeMarks(db, thread, marks)) > 0) hint(thread.accountId, thread.contactId)
}
