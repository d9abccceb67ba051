import { findAccount } from '../src/accounts/store.ts'
import { listConversations } from '../src/inbox/conversation-store.ts'
import { command } from './shared/command.ts'
import { readCount } from './shared/read-count.ts'

const most = 1_000

export const conversations = command({
  summary:
    'list conversations, last active first: who answers, and who waits for a person, why and how long; pass `next` as --before for the next page',
  required: ['account'],
  optional: ['limit', 'before'],
  flags: ['waiting'],
  run: ({ withDatabase }, { account, limit: text = '50', before, waiting }) =>
    withDatabase(async (db) => {
      const limit = readCount('limit', text, most)
      const { id } = await findAccount(db, account)
      const found = await listConversations(db, id, { onlyWaiting: waiting, before, limit })
      return { next: found.length === limit ? (found.at(-1)?.lastMessageId ?? null) : null, conversations: found }
    }),
})
