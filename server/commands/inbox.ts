import { listConversations } from '../src/app/inbox/conversation-store.ts'
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
    const { id } = await findAccount(db, account)
    const found = await listConversations(db, id, { onlyWaiting: waiting, before, limit })
    return { next: found.length === limit ? (found.at(-1)?.lastMessageId ?? null) : null, conversations: found }
  })
