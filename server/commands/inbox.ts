import { readCursor, writeCursor } from '../src/app/inbox/conversations/list.ts'
import { listForOperator } from '../src/app/inbox/conversations/operator-list-store.ts'
import { findAccount } from '../src/business/accounts/store.ts'
import type { Run } from './declarations.ts'
import { readCount } from './shared/read-count.ts'

const most = 1_000

export const conversations: Run<'conversations'> = (
  { withDatabase },
  { account, limit: text = '50', before, waiting },
) =>
  withDatabase(async (db) => {
    const limit = readCount('limit', text, most)
    const after = readCursor(before)
    const { id } = await findAccount(db, account)
    const found = await listForOperator(db, id, { onlyWaiting: waiting, after, limit: limit + 1 })
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    return {
      next: last ? writeCursor({ micros: last.orderMicros, contactId: last.contactId }) : null,
      conversations: shown.map(({ orderMicros: _, ...row }) => row),
    }
  })
