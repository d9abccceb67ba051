import { setTimeout as sleep } from 'node:timers/promises'
import { deleteAsker } from '../../../answers/knowledge/unanswered/unanswered-store.ts'
import { eraseRecipient } from '../../../journey/broadcasts/results/erase-store.ts'
import type { ConversationRef } from '../../../journey/conversations/conversation-store.ts'
import { deleteUnusedMedia } from '../../../journey/media/unused-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import { retryConflicts } from '../../../platform/database/retry.ts'
import type { AccountId } from '../../../platform/ids.ts'
import { forgetChannels } from '../../reports/sums/forget-channels.ts'
import { eraseLines } from '../../search/erase-lines.ts'
import {
  deleteAnswers,
  deleteAttachments,
  deleteAttempts,
  deleteDeliveries,
  deleteEventsOfMessages,
  deleteKeys,
  deleteMessages,
  deleteOutgoingFiles,
  deleteUnusedChannels,
  endErasure,
  findAlertsOf,
  readOldestMessages,
} from './erasure-store.ts'

/** Messages per step: no statement takes long, however many messages there are. */
const batchSize = 500

/**
 * Erases everything else of a deleted contact, in small steps. The process may die after any of them: the rows that say
 * what is left are deleted last. Two at once do no harm. Returns the number of messages.
 */
export async function finishErasure(db: Db, ref: ConversationRef): Promise<number> {
  await deleteKeys(db, ref)
  await deleteUnusedChannels(db, ref.accountId)
  await forgetChannels(db, ref.accountId)
  await eraseLines(db, ref)
  await eraseRecipient(db, ref) // before its deliveries, which tell what has arrived
  await eraseDeliveries(db, ref.accountId, await findAlertsOf(db, ref))
  await retryConflicts(() => db.transaction().execute((tx) => deleteAsker(tx, ref).then(() => true)))
  await eraseUnsent(db, ref)
  for (let afterSeq = '0'; ; ) {
    const { ids, lastSeq } = await readOldestMessages(db, ref, { afterSeq, limit: batchSize })
    if (ids.length === 0) return endErasure(db, ref)
    await deleteEventsOfMessages(db, ref.accountId, ids)
    await eraseDeliveries(db, ref.accountId, ids)
    await eraseFiles(db, ref.accountId, ids)
    await deleteAnswers(db, ref, { afterSeq, lastSeq })
    await retryConflicts(async () => {
      await deleteMessages(db, ref, ids)
      return true
    })
    afterSeq = lastSeq
  }
}

async function eraseUnsent(db: Db, ref: ConversationRef): Promise<void> {
  await retryConflicts(() =>
    db.transaction().execute(async (tx) => {
      await deleteUnusedMedia(tx, ref.accountId, await deleteOutgoingFiles(tx, ref))
      return true
    }),
  )
}

async function eraseDeliveries(db: Db, accountId: AccountId, ids: string[]): Promise<void> {
  while ((await deleteDeliveries(db, accountId, ids)) > 0) await sleep(20)
  await deleteAttempts(db, accountId, ids)
}

/** Erases attachments and files in one transaction: a file without an attachment would never be found again. */
async function eraseFiles(db: Db, accountId: AccountId, ids: string[]): Promise<void> {
  await retryConflicts(() =>
    db.transaction().execute(async (tx) => {
      await deleteUnusedMedia(tx, accountId, await deleteAttachments(tx, accountId, ids))
      return true
    }),
  )
}
