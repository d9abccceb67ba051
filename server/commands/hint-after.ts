import type { Changed } from '../src/work/hints.ts'
import type { CommandName } from './declarations.ts'

/** What each command changes on the screens of its account, besides the conversation with the contact that it names. */
const changedBy: Partial<Record<CommandName, Exclude<Changed, `con_${string}`>[]>> = {
  'account password': ['account', 'sessions'],
  'account limit': ['account'],
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
  'webhook set': ['webhook'],
  'webhook rotate': ['webhook'],
  'webhook pause': ['webhook'],
  'webhook resume': ['webhook'],
  'webhook remove': ['webhook'],
  resend: ['webhook', 'conversations'],
}

type Named = { account?: string | boolean | undefined; contact?: string | boolean | undefined }

/** The hints to send after a command, once everything it does is committed; undefined for one that changes nothing. */
export function hintsAfter(name: CommandName, { contact }: Named): Changed[] | undefined {
  const changed = changedBy[name]
  if (!changed || typeof contact !== 'string') return changed
  return [...changed, contact as `con_${string}`] // the command has refused anything else
}
