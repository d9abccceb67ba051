import { openAccount } from '../open-account.ts'
import { changePassword, generateKey, limitRate } from '../src/accounts/credentials.ts'
import { findAccount, findInstallationOwner, listAccounts } from '../src/accounts/store.ts'
import { switchBot } from '../src/accounts/switch-bot.ts'
import { switchBotOff, switchBotOn } from './conversations.ts'
import { command } from './shared/command.ts'

export const accountCreate = command({
  summary: 'create an account; prints its API key, and its password if none was given',
  required: ['email'],
  optional: ['password'],
  flags: ['agency'],
  run: ({ withDatabase }, { email, password, agency }) =>
    withDatabase((db) =>
      db.transaction().execute((tx) => openAccount(tx, agency ? 'agency' : 'standard', { email, password })),
    ),
})

export const accountShow = command({
  summary: 'list all accounts, or show one; isInstallationOwner marks the one created at the first start',
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
  summary: "set the owner's password; without --password a new one is generated",
  required: ['account'],
  optional: ['password'],
  run: ({ withDatabase }, { account, password }) =>
    withDatabase(async (db) => ({ password: await changePassword(db, account, password) })),
})

export const accountLimit = command({
  summary: 'set the rate limit of an account: requests per minute, or "default"',
  required: ['account', 'per-minute'],
  run: ({ withDatabase }, { account, 'per-minute': text }) =>
    withDatabase(async (db) => {
      const rateLimitPerMinute = text === 'default' ? null : Number(text)
      await limitRate(db, account, rateLimitPerMinute)
      return { rateLimitPerMinute }
    }),
})

export const keyGenerate = command({
  summary: 'generate a new API key; the old one stops working at once',
  required: ['account'],
  run: ({ withDatabase }, { account }) => withDatabase(async (db) => ({ apiKey: await generateKey(db, account) })),
})

export const botOn = command({
  summary: 'switch the bot on for an account, or with --contact for one contact',
  required: ['account'],
  optional: ['contact'],
  run: (ctx, { account, contact }) =>
    contact === undefined
      ? ctx.withDatabase((db) => switchBot(db, account, true))
      : switchBotOn(ctx, { account, contact }),
})

export const botOff = command({
  summary:
    'switch the bot off for an account, or with --contact for one contact; messages are stored and wait for a person',
  required: ['account'],
  optional: ['contact'],
  run: (ctx, { account, contact }) =>
    contact === undefined
      ? ctx.withDatabase((db) => switchBot(db, account, false))
      : switchBotOff(ctx, { account, contact }),
})
