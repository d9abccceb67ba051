import { openAccount } from '../open-account.ts'
import { changePassword, generateKey, limitRate } from '../src/accounts/credentials.ts'
import { findAccount, findInstallationOwner, listAccounts } from '../src/accounts/store.ts'
import { switchBot } from '../src/accounts/switch-bot.ts'
import { silenceContact, wakeContact } from './conversations.ts'
import { command } from './shared/command.ts'

export const accountCreate = command({
  summary: 'open an account; prints its key, and its password if it was made here',
  required: ['email'],
  optional: ['password'],
  flags: ['agency'],
  run: ({ withDatabase }, { email, password, agency }) =>
    withDatabase((db) =>
      db.transaction().execute((tx) => openAccount(tx, agency ? 'agency' : 'standard', { email, password })),
    ),
})

export const accountShow = command({
  summary: 'all accounts, or one, and which the first start made',
  optional: ['account'],
  run: ({ withDatabase }, { account }) =>
    withDatabase(async (db) => {
      const accountId = account === undefined ? undefined : (await findAccount(db, account)).id
      const ownerId = await findInstallationOwner(db)
      const accounts = await listAccounts(db, { accountId })
      return { accounts: accounts.map((one) => ({ ...one, isInstallationOwner: one.accountId === ownerId })) }
    }),
})

export const accountPassword = command({
  summary: "set the owner's password, to a new one if none is given",
  required: ['account'],
  optional: ['password'],
  run: ({ withDatabase }, { account, password }) =>
    withDatabase(async (db) => ({ password: await changePassword(db, account, password) })),
})

export const accountLimit = command({
  summary: 'give an account a rate limit of its own: a number, or "default"',
  required: ['account', 'per-minute'],
  run: ({ withDatabase }, { account, 'per-minute': text }) =>
    withDatabase(async (db) => {
      const rateLimitPerMinute = text === 'default' ? null : Number(text)
      await limitRate(db, account, rateLimitPerMinute)
      return { rateLimitPerMinute }
    }),
})

export const keyGenerate = command({
  summary: 'make a new API key; the old one ends at once',
  required: ['account'],
  run: ({ withDatabase }, { account }) => withDatabase(async (db) => ({ apiKey: await generateKey(db, account) })),
})

export const botOn = command({
  summary: "let the bot answer an account's messages, or with --contact those of one contact",
  required: ['account'],
  optional: ['contact'],
  run: (ctx, { account, contact }) =>
    contact === undefined
      ? ctx.withDatabase((db) => switchBot(db, account, true))
      : wakeContact(ctx, { account, contact }),
})

export const botOff = command({
  summary: 'keep the bot silent; messages are kept and wait for a person',
  required: ['account'],
  optional: ['contact'],
  run: (ctx, { account, contact }) =>
    contact === undefined
      ? ctx.withDatabase((db) => switchBot(db, account, false))
      : silenceContact(ctx, { account, contact }),
})
