import { type RetentionKind, retentionKinds } from '@patchbay/contract/app/retention.ts'
import { openAccount } from '../process/open-account.ts'
import { countOver } from '../src/app/removal/retention/rule-store.ts'
import { setRule, showRules } from '../src/app/removal/retention/rules.ts'
import { changePassword, generateKey, limitRate } from '../src/business/accounts/credentials.ts'
import { findAccount, findInstallationOwner, listAccounts } from '../src/business/accounts/store.ts'
import { switchBot } from '../src/business/accounts/switch-bot.ts'
import { keepDaysNames } from '../src/platform/config/settings.ts'
import { OperatorError } from '../src/platform/operator-error.ts'
import { switchBotOff, switchBotOn } from './conversations.ts'
import type { Run } from './declarations.ts'
import { judgeBy } from './shared/judge-by.ts'

export const accountCreate: Run<'account create'> = ({ withDatabase }, { email, password, agency }) =>
  withDatabase((db) =>
    db.transaction().execute((tx) => openAccount(tx, agency ? 'agency' : 'standard', { email, password })),
  )

export const accountShow: Run<'account show'> = ({ withDatabase }, { account }) =>
  withDatabase(async (db) => {
    const accountId = account === undefined ? undefined : (await findAccount(db, account)).id
    const ownerId = await findInstallationOwner(db)
    const accounts = await listAccounts(db, { accountId })
    return { accounts: accounts.map((one) => ({ ...one, isInstallationOwner: one.accountId === ownerId })) }
  })

export const accountPassword: Run<'account password'> = ({ withDatabase }, { account, password }) =>
  withDatabase(async (db) => ({ password: await changePassword(db, account, password) }))

export const accountLimit: Run<'account limit'> = ({ withDatabase }, { account, 'per-minute': text }) =>
  withDatabase(async (db) => {
    const rateLimitPerMinute = text === 'default' ? null : Number(text)
    await limitRate(db, account, rateLimitPerMinute)
    return { rateLimitPerMinute }
  })

export const accountRetention: Run<'account retention'> = (ctx, { account, kind, days, yes }) =>
  ctx.withDatabase(async (db) => {
    const { id } = await findAccount(db, account)
    const { keepDays: most } = await judgeBy(ctx, db, keepDaysNames)
    if (kind === undefined && days === undefined) return showRules(db, id, most)
    if (!isKind(kind)) throw new OperatorError(`--kind must be one of ${retentionKinds.join(', ')}.`)
    if (days === undefined) throw new OperatorError('--kind and --days go together; one of them is missing.')
    const keepDays = days === 'default' ? null : Number(days)
    if (ctx.ask && !yes && kind === 'messages' && keepDays !== null && Number.isInteger(keepDays)) {
      const { messages, hasMore } = await countOver(db, id, keepDays)
      const answer = await ctx.ask(`Remove ${messages}${hasMore ? ' or more' : ''} messages for good? Type yes: `)
      if (answer.trim() !== 'yes') throw new OperatorError('Nothing was changed.')
    }
    await setRule({ db, keepDays: most }, id, { kind, keepDays })
    return showRules(db, id, most)
  })

const isKind = (text: string | undefined): text is RetentionKind =>
  (retentionKinds as readonly (string | undefined)[]).includes(text)

export const keyGenerate: Run<'key generate'> = ({ withDatabase }, { account }) =>
  withDatabase(async (db) => ({ apiKey: await generateKey(db, account) }))

export const botOn: Run<'bot on'> = (ctx, { account, contact }) =>
  contact === undefined
    ? ctx.withDatabase((db) => switchBot(db, account, true))
    : switchBotOn(ctx, { account, contact })

export const botOff: Run<'bot off'> = (ctx, { account, contact }) =>
  contact === undefined
    ? ctx.withDatabase((db) => switchBot(db, account, false))
    : switchBotOff(ctx, { account, contact })
