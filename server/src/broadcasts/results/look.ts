import type { Db } from '../../platform/database/db.ts'
import { withLockTimeout } from '../../platform/database/lock-timeout.ts'
import type { AccountId } from '../../platform/ids.ts'
import {
  countAnswers,
  endResent,
  findAnswers,
  listFailed,
  lockBroadcasts,
  type Mark,
  moveMark,
} from './answers-store.ts'
import { reopen } from './outcomes.ts'

const answersAtOnce = 500

/** Looks at what became of an account's broadcasts: who answered, and which failed messages were sent again. */
export async function lookAtResults(db: Db, mark: Mark): Promise<{ hasChanged: boolean }> {
  const { accountId, resentAt } = mark
  if (resentAt !== null) {
    for (const broadcastId of await listFailed(db, accountId)) {
      while (await withLockTimeout(db, (tx) => reopen(tx, { accountId, broadcastId }))) {}
    }
    await endResent(db, mark)
  }
  let answers = 0
  for (let found = answersAtOnce; found === answersAtOnce; answers += found) found = await noteAnswers(db, accountId)
  return { hasChanged: answers > 0 || resentAt !== null }
}

async function noteAnswers(db: Db, accountId: AccountId): Promise<number> {
  return withLockTimeout(db, async (tx) => {
    const answers = await findAnswers(tx, accountId, answersAtOnce)
    if (answers.length > 0) {
      await lockBroadcasts(tx, accountId, [...new Set(answers.map(({ broadcastId }) => broadcastId))])
      await countAnswers(tx, accountId, answers)
    }
    if (answers.length < answersAtOnce) await moveMark(tx, accountId)
    return answers.length
  })
}
