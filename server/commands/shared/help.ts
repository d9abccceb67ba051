import { version } from '../../src/platform/version.ts'
import type { Declaration } from './command.ts'

/**
 * Help on the commands that these words name: one command, a group such as `webhook`, or without words all. Undefined
 * when there is no such command.
 */
export function helpOn(declarations: Record<string, Declaration>, words: string[]): Help | undefined {
  const wanted = words.join(' ')
  const described = Object.entries(declarations)
    .filter(([name]) => wanted === '' || name === wanted || name.startsWith(`${wanted} `))
    .map(([name, command]) => ({ name, command }))
  if (described.length === 0) return undefined
  const [first] = described
  const text = described.length === 1 && first ? oneCommand(first) : several(wanted, described)
  return { text, document: { version, commands: described.map(documented) } }
}

type Help = { text: string; document: Record<string, unknown> }
type Described = { name: string; command: Declaration }

/** The usage of one command, in one line. */
export function synopsis(name: string, { required, optional, flags, words }: Declaration): string {
  const isOptional = (option: string) => option === 'account' // where there is one only
  const parts = [
    ...required.map((option) => (isOptional(option) ? `[--${option} …]` : `--${option} …`)),
    ...optional.map((option) => `[--${option} …]`),
    ...flags.map((option) => `[--${option}]`),
    ...(words === undefined ? [] : [`"${words}"`]),
  ]
  return [name, ...parts].join(' ')
}

function oneCommand({ name, command }: Described): string {
  const options = [...command.required, ...command.optional, ...command.flags, 'json']
  const explained = options.filter((option) => option in meanings)
  const width = Math.max(...explained.map((option) => option.length))
  const lines = explained.map((option) => `  --${option.padEnd(width)}  ${meanings[option]}\n`)
  return `Usage: npx patchbay ${synopsis(name, command)} [--json]\n\n  ${command.summary}\n\n${lines.join('')}`
}

function several(wanted: string, described: Described[]): string {
  const lines = described.map(({ name, command }) => `  ${synopsis(name, command)}\n      ${command.summary}\n`)
  const usage = `Usage: npx patchbay ${wanted === '' ? '' : `${wanted} `}COMMAND [--json]`
  return `patchbay ${version}\n\n${usage}\n\n${lines.join('')}\n${ending}`
}

const ending =
  'An account is given by e-mail address or id; where there is only one, --account may be left out. `npx patchbay help COMMAND` shows the options of one command, `npx patchbay --version` the version. Environment variables are described in docs/operations.md.\n'

function documented({ name, command: { summary, required, optional, flags, words } }: Described) {
  return { name, summary, required, optional, flags, words: words ?? null }
}

/** Options that mean the same in every command. */
const meanings: Record<string, string> = {
  account: 'the account, by e-mail address or by id; may be left out where there is only one',
  agency: 'the agency, by e-mail address or by id; with `account create`: the new account is an agency',
  campaign: 'the id of a campaign, cmp_…',
  contact: 'the id of a contact, con_…',
  phone: 'a phone number, in any notation',
  email: 'an e-mail address',
  'external-id': 'the fromId of the external platform',
  message: 'the id of a message, msg_…',
  entry: 'the id of an entry',
  file: 'the path of a file to read; - is standard input',
  kind: 'of a webhook: reply, which is the default, recharge or alert; of `account retention`: what is kept',
  limit: 'how many to show at most',
  before: 'start before this one: `next` of the previous page',
  after: 'start after this one: `next` of the previous page',
  waiting: 'only those that wait for a person',
  to: 'the path of a new file, or of a folder',
  from: 'a backup, or a folder of backups, of which the newest that fits is taken',
  until: 'a time with its offset from UTC, such as 2026-11-16T12:00:00Z',
  archive: 'where the archived write-ahead log is; by default where it was when the backup was taken',
  paused: 'the copy does no background work until `npx patchbay resume`: nothing is sent, nobody is answered',
  keep: 'how many backups to keep in the folder, the new one included',
  'with-secret-key': 'put the secret key into the backup; whoever has it can then read the secrets in the database',
  yes: 'do not ask for confirmation',
  json: 'print one JSON document, also when the command is refused',
}
