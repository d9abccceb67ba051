import { findAccount } from '../src/accounts/store.ts'
import { createList } from '../src/lists/create.ts'
import { summarizeLists } from '../src/lists/store.ts'
import { command } from './shared/command.ts'

export const listCreate = command({
  summary: 'create a list; prints its id, which callers send',
  required: ['account', 'name'],
  run: ({ withDatabase }, { account, name }) =>
    withDatabase(async (db) => ({ listId: await createList(db, (await findAccount(db, account)).id, name) })),
})

export const listShow = command({
  summary: "show an account's lists with their ids and counts",
  required: ['account'],
  run: ({ withDatabase }, { account }) =>
    withDatabase(async (db) => ({ lists: await summarizeLists(db, (await findAccount(db, account)).id) })),
})
