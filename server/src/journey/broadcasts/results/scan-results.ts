import type { Db } from '../../../platform/database/db.ts'
import { withLockTimeout } from '../../../platform/database/lock-timeout.ts'
import type { AccountId } from '../../../platform/ids.ts'
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

/** After this time another account has its turn; this one is looked at again, from where it is. */
const turnMs = 2_000

/** Looks at what became of an account's broadcasts: who answered, and which failed messages were sent again. */
export async function scanResults(db: Db, mark: Mark): Promise<{ hasChanged: boolean }> {
  const { accountId, resentAt } = mark
  const until = performance.now() + turnMs
  const isOver = () => performance.now() >= until
  if (resentAt !== null) {
    for (const broadcastId of await listFailed(db, accountId)) {
      while (await withLockTimeout(db, (tx) => reopen(tx, { accountId, broadcastId }))) {
        if (isOver()) return { hasChanged: true }
      }
    }
    await endResent(db, mark)
  }
  let answers = 0
  for (let found = answersAtOnce; found === answersAtOnce && !isOver(); answers += found) {
    found = await noteAnswers(db, accountId)
  }
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
