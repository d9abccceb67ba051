import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { readConfig } from '../src/platform/config.ts'
import { openForCommand } from '../src/platform/database.ts'
import { openLog } from '../src/platform/log.ts'
import { OperatorError } from '../src/platform/operator-error.ts'
import { Refusal } from '../src/platform/refusal.ts'
import { version } from '../src/platform/version.ts'
import * as accounts from './accounts.ts'
import type { Command, CommandCtx } from './command.ts'
import * as credits from './credits.ts'
import { doctor } from './doctor.ts'
import { layOut } from './lay-out.ts'
import * as lists from './lists.ts'
import { messages } from './messages.ts'
import { start } from './start.ts'
import * as webhook from './webhook.ts'

const commands: Record<string, Command> = {
  start,
  doctor,
  'account create': accounts.accountCreate,
  'account show': accounts.accountShow,
  'account password': accounts.accountPassword,
  'account limit': accounts.accountLimit,
  'key generate': accounts.keyGenerate,
  'bot on': accounts.botOn,
  'bot off': accounts.botOff,
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
  const name = words.join(' ')
  if (name === '' || name === 'help' || args.includes('--help')) {
    process.stdout.write(usage())
    return
  }
  const command = commands[name]
  if (!command) throw new OperatorError(`There is no command "${name}"; see: npx patchbay help`)
  const { json, ...options } = parseOptions(command, name, args.slice(words.length))
  const result = await command.run(context(json === true), options)
  if (result) process.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : layOut(result))
}

type Options = Record<string, string | boolean | undefined>

function parseOptions(command: Command, name: string, args: string[]): Options {
  const takesValue = [...command.required, ...command.optional].map((option) => [option, { type: 'string' }])
  const takesNone = [...command.flags, 'json'].map((option) => [option, { type: 'boolean', default: false }])
  const usage = `usage: npx patchbay ${synopsis(name, command)}`
  const values = parseWords(args, Object.fromEntries([...takesValue, ...takesNone]), usage)
  const missing = command.required.find((option) => !values[option])
  if (missing !== undefined) throw new OperatorError(`--${missing} is missing; ${usage}`)
  return values
}

function parseWords(args: string[], options: ParseArgsOptionsConfig, usage: string): Options {
  try {
    return parseArgs({ args, options }).values as Options // none is declared repeatable
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

function synopsis(name: string, { required, optional, flags }: Command): string {
  const parts = [
    ...required.map((option) => `--${option} …`),
    ...optional.map((option) => `[--${option} …]`),
    ...flags.map((option) => `[--${option}]`),
  ]
  return [name, ...parts].join(' ')
}
