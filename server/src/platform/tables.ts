// Made by `npm run generate` from the migrations; compared by a test.
import type { Generated } from 'kysely'
import type { AccountId, ContactId, ListId, UserId } from './ids.ts'

export type Tables = {
  accounts: {
    id: AccountId
    kind: 'standard' | 'agency' | 'subaccount'
    agencyId: AccountId | null
    rateLimitPerMinute: number | null
    createdAt: Generated<Date>
  }
  apiKeys: {
    accountId: AccountId
    keyHash: Buffer
    createdAt: Generated<Date>
  }
  contacts: {
    accountId: AccountId
    id: ContactId
    firstName: string | null
    lastName: string | null
    phone: string | null
    email: string | null
    createdAt: Generated<Date>
  }
  installation: {
    one: Generated<boolean>
    secretKeyCheck: string
    ownerAccountId: AccountId | null
    createdAt: Generated<Date>
  }
  listMembers: {
    accountId: AccountId
    listId: ListId
    contactId: ContactId
    addedAt: Generated<Date>
  }
  lists: {
    accountId: AccountId
    id: ListId
    name: string
    createdAt: Generated<Date>
  }
  schemaMigrations: {
    version: number
    name: string
    appliedAt: Generated<Date>
  }
  users: {
    id: UserId
    accountId: AccountId
    email: string
    passwordHash: string
    isOwner: boolean
    createdAt: Generated<Date>
  }
}
