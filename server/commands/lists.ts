import { findAccount } from '../src/business/accounts/store.ts'
import { createList } from '../src/people/lists/change.ts'
import { summarizeLists } from '../src/people/lists/store.ts'
import type { Run } from './declarations.ts'

export const listCreate: Run<'list create'> = ({ withDatabase }, { account, name }) =>
  withDatabase(async (db) => ({ listId: await createList(db, (await findAccount(db, account)).id, name) }))

export const listShow: Run<'list show'> = ({ withDatabase }, { account }) =>
  withDatabase(async (db) => ({ lists: await summarizeLists(db, (await findAccount(db, account)).id) }))
