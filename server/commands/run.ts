import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { readConfig } from '../src/platform/config.ts'
import { openForCommand } from '../src/platform/database.ts'
import { openLog } from '../src/platform/log.ts'
import { OperatorError } from '../src/platform/operator-error.ts'
import { Refusal } from '../src/platform/refusal.ts'
import { version } from '../src/platform/version.ts'
import type { Command, CommandCtx } from './command.ts'
import { layOut } from './lay-out.ts'

/** Each is loaded when it is asked for: all of them together take longer than most of them run. */
const commands: Record<string, () => Promise<Command>> = {
  start: async () => (await import('./start.ts')).start,
  status: async () => (await import('./status.ts')).status,
  doctor: async () => (await import('./doctor.ts')).doctor,
  'account create': async () => (await import('./accounts.ts')).accountCreate,
  'account show': async () => (await import('./accounts.ts')).accountShow,
  'account password': async () => (await import('./accounts.ts')).accountPassword,
  'account limit': async () => (await import('./accounts.ts')).accountLimit,
  'key generate': async () => (await import('./accounts.ts')).keyGenerate,
  'bot on': async () => (await import('./accounts.ts')).botOn,
  'bot off': async () => (await import('./accounts.ts')).botOff,
  'bot ask': async () => (await import('./campaigns.ts')).botAsk,
  'campaign create': async () => (await import('./campaigns.ts')).campaignCreate,
  'campaign update': async () => (await import('./campaigns.ts')).campaignUpdate,
  'campaign show': async () => (await import('./campaigns.ts')).campaignShow,
  'knowledge import': async () => (await import('./campaigns.ts')).knowledgeImport,
  'contact show': async () => (await import('./contacts.ts')).contactShow,
  'contact erase': async () => (await import('./contacts.ts')).contactErase,
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
  messages: async () => (await import('./messages.ts')).messages,
  resend: async () => (await import('./webhook.ts')).resend,
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
    process.stdout.write(await usage())
    return
  }
  const { name, command } = await findCommand(words)
  const { values, text } = parseOptions(command, name, args.slice(name.split(' ').length))
  const { json, ...options } = values
  const result = await command.run(context(json === true), options, text)
  if (result) process.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : layOut(result))
}

/** The longest name that the words begin with; what follows it must be wanted. */
async function findCommand(words: string[]): Promise<{ name: string; command: Command }> {
  for (let length = words.length; length > 0; length -= 1) {
    const name = words.slice(0, length).join(' ')
    const command = Object.hasOwn(commands, name) ? await commands[name]?.() : undefined
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

async function usage(): Promise<string> {
  const lines: string[] = []
  for (const [name, load] of Object.entries(commands)) {
    const command = await load()
    lines.push(`  ${synopsis(name, command)}\n      ${command.summary}\n`)
  }
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
