import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { OperatorError } from '../src/platform/operator-error.ts'
import { version } from '../src/platform/version.ts'
import { type CommandName, declarations, type Run } from './declarations.ts'
import { askOnTerminal } from './shared/ask.ts'
import type { CommandCtx, Declaration, Outside, Result } from './shared/command.ts'
import { helpOn, synopsis } from './shared/help.ts'
import { layOut } from './shared/lay-out.ts'
import { openPrinter, type Printer } from './shared/printer.ts'

/** Each is loaded on demand: loading all takes longer than most commands run. */
const implementations: { [Name in CommandName]: () => Promise<Run<Name>> } = {
  start: async () => (await import('./start.ts')).start,
  status: async () => (await import('./status.ts')).status,
  doctor: async () => (await import('./doctor.ts')).doctor,
  backup: async () => (await import('./backup.ts')).backup,
  'backup verify': async () => (await import('./backup.ts')).backupVerify,
  restore: async () => (await import('./backup.ts')).restore,
  resume: async () => (await import('./backup.ts')).resume,
  'account create': async () => (await import('./accounts.ts')).accountCreate,
  'account show': async () => (await import('./accounts.ts')).accountShow,
  'account password': async () => (await import('./accounts.ts')).accountPassword,
  'account limit': async () => (await import('./accounts.ts')).accountLimit,
  'account retention': async () => (await import('./accounts.ts')).accountRetention,
  'key generate': async () => (await import('./accounts.ts')).keyGenerate,
  'bot on': async () => (await import('./accounts.ts')).botOn,
  'bot off': async () => (await import('./accounts.ts')).botOff,
  'bot ask': async () => (await import('./campaigns.ts')).botAsk,
  'campaign create': async () => (await import('./campaigns.ts')).campaignCreate,
  'campaign update': async () => (await import('./campaigns.ts')).campaignUpdate,
  'campaign show': async () => (await import('./campaigns.ts')).campaignShow,
  'knowledge import': async () => (await import('./campaigns.ts')).knowledgeImport,
  'knowledge show': async () => (await import('./knowledge.ts')).knowledgeShow,
  'knowledge delete': async () => (await import('./knowledge.ts')).knowledgeDelete,
  conversations: async () => (await import('./inbox.ts')).conversations,
  'contact show': async () => (await import('./contacts.ts')).contactShow,
  'contact erase': async () => (await import('./contacts.ts')).contactErase,
  'contact opt-out': async () => (await import('./contacts.ts')).contactOptOut,
  'contact opt-in': async () => (await import('./contacts.ts')).contactOptIn,
  reply: async () => (await import('./conversations.ts')).reply,
  takeover: async () => (await import('./conversations.ts')).takeover,
  handback: async () => (await import('./conversations.ts')).handback,
  'list create': async () => (await import('./lists.ts')).listCreate,
  'list show': async () => (await import('./lists.ts')).listShow,
  'subaccount create': async () => (await import('./credits.ts')).subaccountCreate,
  'subaccount show': async () => (await import('./credits.ts')).subaccountShow,
  'credits grant': async () => (await import('./credits.ts')).creditsGrant,
  'credits reverse': async () => (await import('./credits.ts')).creditsReverse,
  'recharge set': async () => (await import('./credits.ts')).rechargeSet,
  ledger: async () => (await import('./credits.ts')).ledger,
  'ledger check': async () => (await import('./credits.ts')).ledgerCheck,
  'webhook set': async () => (await import('./webhook.ts')).webhookSet,
  'webhook show': async () => (await import('./webhook.ts')).webhookShow,
  'webhook test': async () => (await import('./webhook.ts')).webhookTest,
  'webhook rotate': async () => (await import('./webhook.ts')).webhookRotate,
  'webhook pause': async () => (await import('./webhook.ts')).webhookPause,
  'webhook resume': async () => (await import('./webhook.ts')).webhookResume,
  'webhook remove': async () => (await import('./webhook.ts')).webhookRemove,
  'channel connect': async () => (await import('./channels.ts')).channelConnect,
  'channel show': async () => (await import('./channels.ts')).channelShow,
  'channel check': async () => (await import('./channels.ts')).channelCheck,
  'channel remove': async () => (await import('./channels.ts')).channelRemove,
  'channel hold': async () => (await import('./channels.ts')).channelHold,
  'channel resume': async () => (await import('./channels.ts')).channelResume,
  messages: async () => (await import('./messages.ts')).messages,
  'media save': async () => (await import('./media.ts')).mediaSave,
  resend: async () => (await import('./webhook.ts')).resend,
}

/**
 * Runs one command line to its end, and returns its exit code. A refusal is one sentence on standard error and exit code
 * 1; with --json also a document on standard output that says the same. An error that is no refusal is thrown.
 */
export async function runCommand(args: string[], outside: Outside): Promise<number> {
  const printer = openPrinter(outside, isGiven(args, '--json'))
  try {
    return await run(args, printer, outside)
  } catch (error) {
    printer.printError(error)
    return 1
  }
}

async function run(args: string[], printer: Printer, outside: Outside): Promise<number> {
  const firstOption = args.findIndex((word) => word.startsWith('-'))
  const words = firstOption === -1 ? args : args.slice(0, firstOption)
  if (asksForVersion(args)) {
    printer.print({ version }, `patchbay ${version}\n`)
    return 0
  }
  const asksForHelp = words[0] === 'help'
  if (words.length === 0 || asksForHelp || isGiven(args, '--help') || isGiven(args, '-h')) {
    const help = helpOn(declarations, asksForHelp ? words.slice(1) : words)
    if (!help) throw unknownCommand(asksForHelp ? words.slice(1) : words)
    printer.print(help.document, help.text)
    return 0
  }
  const name = findCommand(words)
  const { values, text } = parseOptions(declarations[name], name, args.slice(name.split(' ').length))
  const { json, ...options } = values
  // The options were checked against the declaration that the implementation is typed by.
  const command = (await implementations[name]()) as (
    ctx: CommandCtx,
    options: Options,
    text: string,
  ) => Promise<Result>
  const running = { name, options, json: json === true, exitCode: 0 }
  const result = await command(await context(running, printer, outside), options, text)
  if (result) printer.print(result, json ? '' : layOut(result))
  return running.exitCode
}

/** `--version` as the first word, or what others call it; --json may follow. */
function asksForVersion([first]: string[]): boolean {
  return first === '--version' || first === '-v' || first === 'version'
}

/** Whether an option is given; everything after `--` is text. */
function isGiven(args: string[], option: string): boolean {
  const end = args.indexOf('--')
  return args.slice(0, end === -1 ? args.length : end).includes(option)
}

/** The longest command name that the words begin with; further words only where the command takes text. */
function findCommand(words: string[]): CommandName {
  for (let length = words.length; length > 0; length -= 1) {
    const name = words.slice(0, length).join(' ')
    if (isCommand(name) && (length === words.length || declarations[name].words !== undefined)) return name
  }
  throw unknownCommand(words)
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(declarations, name)
}

function unknownCommand(words: string[]): OperatorError {
  const group = Object.keys(declarations).some((name) => name.startsWith(`${words[0]} `)) ? ` ${words[0]}` : ''
  return new OperatorError(`There is no command "${words.join(' ')}"; see: npx patchbay help${group}`)
}

type Options = Record<string, string | boolean | undefined>
type Parsed = { values: Options; text: string }

function parseOptions(command: Declaration, name: string, args: string[]): Parsed {
  const takesValue = [...command.required, ...command.optional].map((option) => [option, { type: 'string' }])
  const takesNone = [...command.flags, 'json'].map((option) => [option, { type: 'boolean', default: false }])
  const usage = `usage: npx patchbay ${synopsis(name, command)}`
  const options = Object.fromEntries([...takesValue, ...takesNone])
  const parsed = parseWords({ args, options, allowPositionals: command.words !== undefined }, usage)
  const missing = command.required.find((option) => option !== 'account' && !parsed.values[option])
  if (missing !== undefined) throw new OperatorError(`--${missing} is missing; ${usage}`)
  if (parsed.values.account === '') {
    // Of a script whose variable is not set: it must not change the only account there happens to be.
    throw new OperatorError(`--account is empty; give an e-mail address or an id, or leave it out. ${usage}`)
  }
  if (command.required.includes('account')) parsed.values.account ??= '' // the one there is
  if (command.words !== undefined && parsed.text === '')
    throw new OperatorError(`"${command.words}" is missing; ${usage}`)
  return parsed
}

type Parsing = { args: string[]; options: ParseArgsOptionsConfig; allowPositionals: boolean }

function parseWords(parsing: Parsing, usage: string): Parsed {
  try {
    const { values, positionals } = parseArgs(parsing)
    return { values: values as Options, text: positionals.join(' ') } // no option is declared repeatable
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split('. ') : []
    throw new OperatorError(`${reason}; ${usage}`)
  }
}

/** What help does not need is loaded here. */
async function context(running: Running, { print, note }: Printer, outside: Outside): Promise<CommandCtx> {
  const { readConfig } = await import('../src/platform/config/config.ts')
  const config = readConfig(outside.env)
  const noteOnTerminal = (sentence: string) => {
    if (outside.stderr.isTTY) note(sentence)
  }
  const openLog = async (level: string) => {
    if (outside.openLog) return outside.openLog(level)
    const log = await import('../src/platform/log.ts')
    return log.openLog(level, { format: config.logFormat })
  }
  return {
    config,
    json: running.json,
    print,
    note,
    noteOnTerminal,
    fail: () => {
      running.exitCode = 1
    },
    ask: askOnTerminal(outside),
    openLog,
    withDatabase: async (work) => {
      const { openForCommand } = await import('../src/platform/database-setup/open-database.ts')
      const { log, flush } = await openLog('error')
      const onWait = (reason: string) => noteOnTerminal(`Waiting for the embedded PostgreSQL: ${reason}.`)
      const database = await openForCommand(config, log, onWait)
      try {
        const value = await work(database.db)
        const { hintAfter } = await import('./hint-after.ts')
        await hintAfter(database.db, running).catch(() => {}) // what it did is committed
        return value
      } finally {
        await database.close()
        flush()
      }
    },
  }
}

type Running = { name: CommandName; options: Options; json: boolean; exitCode: number }
