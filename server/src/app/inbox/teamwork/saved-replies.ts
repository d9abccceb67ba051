import type { SavedReply } from '@patchbay/contract/app/teamwork.ts'
import type { Db } from '../../../platform/database/db.ts'
import { hasSqlState } from '../../../platform/database/sql-state.ts'
import { type AccountId, isId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { deleteReply, insertReply, updateReply } from './saved-reply-store.ts'

type Fields = Pick<SavedReply, 'shortcut' | 'body'>

/** The replies of one account. They are all sent to the browser. */
const mostReplies = 300

export async function saveReply(db: Db, accountId: AccountId, fields: Fields): Promise<SavedReply> {
  const saved = await unlessTaken(fields, () => insertReply(db, accountId, fields, mostReplies))
  if (!saved) throw new Refusal('INVALID_REQUEST', `An account has at most ${mostReplies} saved replies.`)
  return saved
}

export async function changeReply(db: Db, accountId: AccountId, { id, ...fields }: SavedReply): Promise<SavedReply> {
  const saved = isId('rep', id) && (await unlessTaken(fields, () => updateReply(db, accountId, { id, ...fields })))
  if (!saved) throw noReply()
  return saved
}

export async function removeReply(db: Db, accountId: AccountId, id: string): Promise<void> {
  if (!isId('rep', id) || !(await deleteReply(db, accountId, id))) throw noReply()
}

async function unlessTaken<Value>({ shortcut }: Fields, write: () => Promise<Value>): Promise<Value> {
  try {
    return await write()
  } catch (error) {
    if (hasSqlState(error, '23505')) throw new Refusal('CONFLICT', `There is a saved reply /${shortcut} already.`)
    throw error
  }
}

const noReply = () => new Refusal('NOT_FOUND', 'There is no such saved reply.')
