import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { readConfig } from '../src/platform/config.ts'
import { openForCommand } from '../src/platform/database.ts'
import { openLog } from '../src/platform/log.ts'
import { OperatorError } from '../src/platform/operator-error.ts'
import { Refusal } from '../src/platform/refusal.ts'
import { version } from '../src/platform/version.ts'
import * as accounts from './accounts.ts'
import * as campaigns from './campaigns.ts'
import type { Command, CommandCtx } from './command.ts'
import { contactErase, contactShow } from './contacts.ts'
import * as conversations from './conversations.ts'
import * as credits from './credits.ts'
import { doctor } from './doctor.ts'
import { layOut } from './lay-out.ts'
import * as lists from './lists.ts'
import { messages } from './messages.ts'
import { start } from './start.ts'
import { status } from './status.ts'
import * as webhook from './webhook.ts'

const commands: Record<string, Command> = {
  start,
  status,
  doctor,
  'account create': accounts.accountCreate,
  'account show': accounts.accountShow,
  'account password': accounts.accountPassword,
  'account limit': accounts.accountLimit,
  'key generate': accounts.keyGenerate,
  'bot on': accounts.botOn,
  'bot off': accounts.botOff,
  'bot ask': campaigns.botAsk,
  'campaign create': campaigns.campaignCreate,
  'campaign update': campaigns.campaignUpdate,
  'campaign show': campaigns.campaignShow,
  'knowledge import': campaigns.knowledgeImport,
  'contact show': contactShow,
  'contact erase': contactErase,
  reply: conversations.reply,
  takeover: conversations.takeover,
  handback: conversations.handback,
  'list create': lists.listCreate,
  'list show': lists.listShow,
  'subaccount create': credits.subaccountCreate,
  'subaccount show': credits.subaccountShow,
  'credits grant': credits.creditsGrant,
  'credits reverse': credits.creditsReverse,
  'recharge set': credits.rechargeSet,
  ledger: credits.ledger,
  'ledger check': credits.ledgerCheck,
  'webhook set': webhook.webhookSet,
  'webhook show': webhook.webhookShow,
  'webhook test': webhook.webhookTest,
  'webhook rotate': webhook.webhookRotate,
  'webhook pause': webhook.webhookPause,
  'webhook resume': webhook.webhookResume,
  'webhook remove': webhook.webhookRemove,
  messages,
  resend: webhook.resend,
}

/** Runs one command line to its end. A refusal is one sentence on standard error and exit code 1. */
export async function runCommand(args: string[]): Promise<void> {
  try {
    await run(args)
  } catch (error) {
    if (!(error instanceof OperatorError || error instanceof Refusal)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

async function run(args: string[]): Promise<void> {
  const firstOption = args.findIndex((word) => word.startsWith('-'))
  const words = firstOption === -1 ? args : args.slice(0, firstOption)
  if (words.length === 0 || words[0] === 'help' || args.includes('--help')) {
    process.stdout.write(usage())
    return
  }
  const { name, command } = findCommand(words)
  const { values, text } = parseOptions(command, name, args.slice(name.split(' ').length))
  const { json, ...options } = values
  const result = await command.run(context(json === true), options, text)
  if (result) process.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : layOut(result))
}

/** The longest name that the words begin with; what follows it must be wanted. */
function findCommand(words: string[]): { name: string; command: Command } {
  for (let length = words.length; length > 0; length -= 1) {
    const name = words.slice(0, length).join(' ')
    const command = commands[name]
    if (command && (length === words.length || command.words)) return { name, command }
  }
  throw new OperatorError(`There is no command "${words.join(' ')}"; see: npx patchbay help`)
}

type Options = Record<string, string | boolean | undefined>
type Parsed = { values: Options; text: string }

function parseOptions(command: Command, name: string, args: string[]): Parsed {
  const takesValue = [...command.required, ...command.optional].map((option) => [option, { type: 'string' }])
  const takesNone = [...command.flags, 'json'].map((option) => [option, { type: 'boolean', default: false }])
  const usage = `usage: npx patchbay ${synopsis(name, command)}`
  const options = Object.fromEntries([...takesValue, ...takesNone])
  const parsed = parseWords({ args, options, allowPositionals: command.words !== undefined }, usage)
  const missing = command.required.find((option) => !parsed.values[option])
  if (missing !== undefined) throw new OperatorError(`--${missing} is missing; ${usage}`)
  if (command.words !== undefined && parsed.text === '')
    throw new OperatorError(`"${command.words}" is missing; ${usage}`)
  return parsed
}

type Parsing = { args: string[]; options: ParseArgsOptionsConfig; allowPositionals: boolean }

function parseWords(parsing: Parsing, usage: string): Parsed {
  try {
    const { values, positionals } = parseArgs(parsing)
    return { values: values as Options, text: positionals.join(' ') } // none is declared repeatable
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split('. ') : []
    throw new OperatorError(`${reason}; ${usage}`)
  }
}

function context(json: boolean): CommandCtx {
  const config = readConfig()
  return {
    config,
    json,
    withDatabase: async (work) => {
      const { log, flush } = openLog('error')
      const database = await openForCommand(config, log)
      try {
        return await work(database.db)
      } finally {
        await database.close()
        flush()
      }
    },
  }
}

function usage(): string {
  const lines = Object.entries(commands).map(
    ([name, command]) => `  ${synopsis(name, command)}\n      ${command.summary}\n`,
  )
  return `patchbay ${version}\n\nUsage: npx patchbay COMMAND [--json]\n\n${lines.join('')}\nAccounts are named by e-mail address or by id. The environment is described in docs/operations.md.\n`
}

function synopsis(name: string, { required, optional, flags, words }: Command): string {
  const parts = [
    ...required.map((option) => `--${option} …`),
    ...optional.map((option) => `[--${option} …]`),
    ...flags.map((option) => `[--${option}]`),
    ...(words === undefined ? [] : [`"${words}"`]),
  ]
  return [name, ...parts].join(' ')
}
