import { findAccount } from '../src/business/accounts/store.ts'
import type { Db } from '../src/platform/database/db.ts'
import type { AccountId, ContactId } from '../src/platform/ids.ts'
import { type HintTopic, sendHints } from '../src/platform/notify/hints.ts'
import type { CommandName } from './declarations.ts'

/** What each command changes on the screens of its account, besides the conversation with the contact that it names. */
const changedBy: Partial<Record<CommandName, Exclude<HintTopic, `con_${string}`>[]>> = {
  'account password': ['account', 'sessions'],
  'account limit': ['account'],
  'account retention': ['account'],
  'key generate': ['account'],
  'bot on': ['account'],
  'bot off': ['account'],
  'contact erase': ['contacts', 'lists'],
  'contact opt-out': ['contacts', 'lists'],
  'contact opt-in': ['contacts', 'lists'],
  reply: [],
  takeover: [],
  handback: [],
  'list create': ['lists'],
  'campaign create': ['campaigns'],
  'campaign update': ['campaigns'],
  'knowledge import': ['campaigns'],
  'knowledge delete': ['campaigns'],
  'webhook set': ['webhook'],
  'webhook rotate': ['webhook'],
  'webhook pause': ['webhook'],
  'webhook resume': ['webhook'],
  'webhook remove': ['webhook'],
  resend: ['webhook', 'conversations'],
  'subaccount create': ['credits'],
  'credits grant': ['credits'],
  'credits reverse': ['credits'],
  'recharge set': ['credits'],
}

/** Tells open screens what a command has changed, once everything it does is committed. */
export async function hintAfter(db: Db, { name, options }: { name: CommandName; options: Options }): Promise<void> {
  const changed = changedBy[name]
  if (!changed) return
  const { contact } = options
  const all = typeof contact === 'string' ? [...changed, contact as ContactId] : changed // anything else was refused
  for (const accountId of await accountsOf(db, name, options)) await sendHints(db, accountId, all)
}

type Options = Record<string, string | boolean | undefined>

/** The account that a command names, by itself or by its campaign; where it is about credits, with the agency. */
async function accountsOf(db: Db, name: CommandName, options: Options): Promise<AccountId[]> {
  const campaign = name === 'campaign update' ? options.id : options.campaign
  if (typeof campaign === 'string') {
    const { knownCampaign } = await import('../src/answers/campaigns/save.ts') // most commands do not need it
    return [(await knownCampaign(db, campaign)).accountId]
  }
  const isAboutCredits = changedBy[name]?.includes('credits') ?? false
  const named = isAboutCredits ? (options.account ?? options.email) : options.account
  if (typeof named !== 'string') return []
  const { id, agencyId } = await findAccount(db, named)
  return isAboutCredits && agencyId !== null ? [id, agencyId] : [id]
}
