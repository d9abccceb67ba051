import type { Act, AuditEvent } from '@patchbay/contract/app/audit.ts'

type Details = AuditEvent['details']
const quoted = (details: Details, name: string) => String(details[name] ?? '')
const role = (details: Details) => (details.role === 'owner' ? 'an owner' : 'a member')
const to = (details: Details) => ('email' in details ? ` to ${quoted(details, 'email')}` : '')
const of = (details: Details) => ('email' in details ? ` of ${quoted(details, 'email')}` : '')
/** Lines of before names were written down have only ids. */
const list = (details: Details) => ('list' in details ? `the list ${quoted(details, 'list')}` : 'a list')
const where = ({ kind }: Details) => (kind === 'recharge' ? ' for recharges' : kind === 'alert' ? ' for alerts' : '')

const things: Record<string, string> = {
  ...{ attachments: 'files', unanswered: 'unanswered questions', calls: 'API calls' },
  visitors: 'website visitors of whom nothing is known',
}
const kept = ({ kind, days }: Details) =>
  `${things[String(kind)] ?? kind} ${days === 'default' ? 'as long as this installation does' : `for ${days} days`}`

/** Settings › Audit. */
export const auditWords = {
  says: 'Who did what. Changed by nobody.',
  csv: 'CSV',
  search: 'Search the audit',
  searchHint: 'Person, thing or id',
  filter: 'Which acts',
  groups: { all: 'All', keys: 'Keys and webhook', people: 'People', erasures: 'Contacts', credits: 'Credits' },
  table: 'Audit',
  columns: { when: 'When', who: 'Who', what: 'What', from: 'From' },
  actors: { key: 'API key', operator: 'Whoever runs this server', nobody: '–', user: 'Somebody', agency: 'The agency' },
  thisMachine: 'this machine',
  none: 'Nothing yet.',
  noneSays: 'Sign-ins, keys, the webhook, members, erasures and grants are written down here.',
  noneFound: 'Nothing matches.',
  showAll: 'Show all',
} as const

/** The ids of what it was done to: shown on hover, for who looks for one. */
export const idsOf = (details: Details) =>
  Object.entries(details)
    .filter(([name]) => name.endsWith('Id'))
    .map(([, id]) => id)
    .join(', ') || undefined

/** What was done, as a sentence without its subject: people are named, and no ids. */
export const actWords: Record<Act, (details: Details) => string> = {
  'signed in': (details) =>
    !('madeBy' in details)
      ? 'Signed in'
      : 'accountId' in details
        ? `Somebody signed in as ${quoted(details, 'email')} by the link that ${quoted(details, 'madeBy')} made`
        : `Signed in by a link that ${quoted(details, 'madeBy')} made`,
  'sign-ins failed': (details) => `${quoted(details, 'times')} failed sign-ins as ${quoted(details, 'email')}`,
  'signed out everywhere': () => 'Signed out everywhere',
  'password changed': (details) =>
    !('madeBy' in details)
      ? 'Changed the password'
      : 'accountId' in details
        ? `The password of ${quoted(details, 'email')} was changed by the link that ${quoted(details, 'madeBy')} made`
        : `Changed the password by a link that ${quoted(details, 'madeBy')} made`,
  'password link made': (details) =>
    `Made a link for a new password of ${quoted(details, 'name')}${'accountId' in details ? ` (${quoted(details, 'email')})` : ''}`,
  'password link withdrawn': (details) => `Withdrew the link for a new password of ${quoted(details, 'name')}`,
  'key generated': () => 'Generated a new API key; the old one ended',
  'webhook changed': (details) => `Saved the webhook${where(details)}: ${quoted(details, 'host')}`,
  'webhook paused': (details) => `Paused the webhook${where(details)}`,
  'webhook resumed': (details) => `Resumed the webhook${where(details)}`,
  'webhook removed': (details) => `Removed the webhook${where(details)}`,
  'secret shown': (details) => `Looked at the signing secret${where(details)}`,
  'secret rotated': (details) =>
    details.keepOldHours === 0
      ? 'Rotated the signing secret; the old one ended at once'
      : `Rotated the signing secret; the old one signs for ${quoted(details, 'keepOldHours')} h more`,
  'old secret ended': () => 'Ended the old signing secret',
  'alerts changed': (details) =>
    `Chose what is sent to the alert address: ${quoted(details, 'conditions') || 'nothing'}${details.names === 'yes' ? ', with names of contacts' : ''}`,
  'member invited': (details) => `Invited ${role(details)} by link`,
  'invitation withdrawn': () => 'Withdrew an invitation',
  'member joined': (details) => `Joined as ${role(details)}`,
  'role changed': (details) => `Made ${quoted(details, 'name')} ${role(details)}`,
  'manager changed': (details) =>
    details.manages === 'yes'
      ? `Let ${quoted(details, 'name')} manage: imports, broadcasts, deleting lists`
      : `Let ${quoted(details, 'name')} manage no longer`,
  'member removed': (details) => `Removed ${quoted(details, 'name')}`,
  'connection made': (details) => `Made the connection ${quoted(details, 'name')} to a language model`,
  'connection changed': (details) => `Changed the connection ${quoted(details, 'name')}`,
  'connection removed': (details) => `Deleted the connection ${quoted(details, 'name')}`,
  'channel connected': (details) => `Connected the channel ${quoted(details, 'name')}`,
  'channel changed': (details) => `Changed the channel ${quoted(details, 'name')}`,
  'channel paused': (details) => `Paused the channel ${quoted(details, 'name')}`,
  'channel resumed': (details) =>
    details.restored === 'yes'
      ? `Said that the channel ${quoted(details, 'name')} goes on in this restored copy`
      : `Resumed the channel ${quoted(details, 'name')}`,
  'channel removed': (details) => `Disconnected the channel ${quoted(details, 'name')}`,
  'channel taken over': (details) =>
    `Took over ${quoted(details, 'address')} from ${details.from ? quoted(details, 'from') : 'another tool'}`,
  'retention changed': (details) => `Chose to keep ${kept(details)}`,
  'time zone changed': (details) => `Set the time zone of the account to ${quoted(details, 'timeZone')}`,
  'contacts imported': (details) =>
    `Imported ${quoted(details, 'file') || 'a file'} of ${quoted(details, 'rows')} rows${'listId' in details ? ` onto ${list(details)}` : ''}`,
  'contacts exported': (details) =>
    details.of === 'all'
      ? 'Exported all contacts'
      : details.of === 'a list'
        ? `Exported ${list(details)}`
        : `Exported contacts that were searched for${'list' in details ? ` on ${list(details)}` : ''}`,
  'contact blocked': (details) => `Blocked a visitor of ${quoted(details, 'channel')}`,
  'contact unblocked': (details) => `Unblocked a visitor of ${quoted(details, 'channel')}`,
  'contact erased': () => 'Erased a contact and its messages',
  'deletion refused': () => 'Decided that a contact who asked to be deleted stays',
  'credits granted': (details) => `Granted ${quoted(details, 'credits')} credits${to(details)}`,
  'movement reversed': (details) =>
    `Took ${'credits' in details ? `${Math.abs(Number(details.credits))} credits` : 'a movement'} back${of(details)}`,
  'recharge changed': (details) => `Changed the auto-recharge${of(details)}`,
  'sub-account made': (details) => `Made the sub-account ${quoted(details, 'email')}`,
  'sub-account changed': (details) => `Changed the sub-account ${quoted(details, 'email')}`,
  'visit began': (details) =>
    'accountId' in details ? `Opened ${quoted(details, 'email')} as its agency` : 'Opened this account as its agency',
  'visit ended': (details) => ('accountId' in details ? `Left ${quoted(details, 'email')}` : 'Left this account'),
  'broadcast scheduled': (details) =>
    `Scheduled the broadcast ${quoted(details, 'name')} to the list ${quoted(details, 'list')}`,
  'broadcast changed': (details) => `Changed the scheduled broadcast ${quoted(details, 'name')}`,
  'broadcast started': (details) =>
    `Started the broadcast ${quoted(details, 'name')} to the list ${quoted(details, 'list')}`,
  'broadcast paused': (details) => `Paused the broadcast ${quoted(details, 'name')}`,
  'broadcast resumed': (details) => `Resumed the broadcast ${quoted(details, 'name')}`,
  'broadcast stopped': (details) => `Stopped the broadcast ${quoted(details, 'name')}`,
}
