import { type RetentionKind, retentionKinds } from '@patchbay/contract/app/retention.ts'
import { findAccount } from '../src/accounts/store.ts'
import { OperatorError } from '../src/platform/operator-error.ts'
import { countOver } from '../src/retention/own-rule-store.ts'
import { setRule, showRules } from '../src/retention/rules.ts'
import type { Run } from './declarations.ts'

export const retentionShow: Run<'retention show'> = ({ withDatabase, config }, { account }) =>
  withDatabase(async (db) => showRules(db, (await findAccount(db, account)).id, config.keepDays))

export const retentionSet: Run<'retention set'> = ({ withDatabase, config, ask }, { account, kind, days, yes }) =>
  withDatabase(async (db) => {
    const { id } = await findAccount(db, account)
    if (!isKind(kind)) throw new OperatorError(`--kind must be one of ${retentionKinds.join(', ')}.`)
    const keepDays = days === 'default' ? null : Number(days)
    if (ask && !yes && kind === 'messages' && keepDays !== null) {
      const { messages, hasMore } = await countOver(db, id, keepDays)
      const answer = await ask(`Remove ${messages}${hasMore ? ' or more' : ''} messages for good? Type yes: `)
      if (answer.trim() !== 'yes') throw new OperatorError('Nothing was changed.')
    }
    await setRule({ db, keepDays: config.keepDays }, id, { kind, keepDays })
    return showRules(db, id, config.keepDays)
  })

const isKind = (text: string): text is RetentionKind => (retentionKinds as readonly string[]).includes(text)
