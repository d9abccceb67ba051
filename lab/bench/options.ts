import { parseArgs } from 'node:util'

export type Options = {
  quick: boolean
  connections: number
  rounds: number
  /** Of each server in each round. */
  secondsPerTurn: number
  /** How many messages the database is filled to for the growth figure. */
  rows: number
  patienceSeconds: number
  logFolder: string | undefined
  profileFolder: string | undefined
}

export const usage = `npm run bench -- [--quick] [--rounds N] [--seconds N] [--connections N] [--rows N]
                 [--patience N] [--logs FOLDER] [--profile FOLDER]
npm run bench -- app [--conversations N] [--messages N] [--only WORDS]
npm run bench -- backup [--messages N] [--rate N] [--seconds N]
npm run bench -- beside [--only check|transaction|bot|import] [--rounds N]
npm run bench -- growth [--rows N ...] [--rounds N] [--seconds N]
npm run bench -- idle [--settle N] [--seconds N]
npm run bench -- journey [--rate N] [--seconds N]
npm run bench -- memory [--minutes N] [--rate N] [--seconds N]
npm run bench -- panels [--panels N] [--seconds N] [--replies N] [--plain]
npm run bench -- reports [--conversations N] [--messages N] [--days N]
npm run bench -- retention [--messages N] [--rate N] [--seconds N]
npm run bench -- streams [--streams N] [--rounds N] [--seconds N] [--minutes N]
npm run bench -- upgrade --before FOLDER [--messages N]
npm run bench -- versions --before FOLDER [--more FOLDER] [--rounds N] [--seconds N] [--only in|out]
                 [--traffic plain|names|new|owed]

  --quick        a minute and a half: less of everything, no bot, growth, files or idle servers; saves nothing
  --rounds       how often every server has its turn (5; 2 with --quick)
  --seconds      how long a turn is measured (3; 1 with --quick)
  --connections  how many requests are on their way at once (64)
  --rows         how many messages the database is filled to (1000000)
  --patience     how many seconds longer it may take in order to measure while nothing else runs (0)
  --logs         keep every server's log there, instead of nowhere
  --profile      keep a CPU profile of every server there; slows them down

  app            only the app's own API, on an account with 10,000 conversations and 1,000,000 messages
  backup         only a backup of 5,000,000 messages while 500 come a second, and its restore
  beside         only what the check of the ledger, a long transaction, the bot and an import do to the work of others
  growth         only what a message costs with 5,000,000 and 20,000,000 messages kept, beside what it costs with none
  idle           only the CPU of idle servers, with one account and with 2,000
  journey        only how long a message takes until it is kept, searchable, counted, answered, and read by the receiver
  memory         only the memory of the Node process while messages come from 1,000,000 contacts for an hour
  panels         only 10,000 open panels of a website chat that say nothing, replies to them, and a restart; --plain: behind a proxy
  reports        only the reports of 1,000,000 messages: how long they take to count, and to read
  retention      only the removal of a fifth of 5,000,000 messages while 500 come a second
  streams        only what 200 open streams cost the messages that come in, and the server's memory with them
  upgrade        only what the migrations of this version do to a database of the version before with 1,000,000 messages
  versions       only messages in and out, with this version and those of other checkouts in turns
`

export function readOptions(args: string[]): Options | undefined {
  const text = { type: 'string' } as const
  const options = {
    rounds: text,
    seconds: text,
    connections: text,
    rows: text,
    patience: text,
    logs: text,
    profile: text,
  }
  const flags = { quick: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } } as const
  const { values } = parseArgs({ args, options: { ...options, ...flags } })
  if (values.help) return undefined
  const { quick } = values
  return {
    quick,
    connections: readCount('connections', values.connections ?? '64'),
    rounds: readCount('rounds', values.rounds ?? (quick ? '2' : '5')),
    secondsPerTurn: readSeconds(values.seconds ?? (quick ? '1' : '3')),
    rows: readCount('rows', values.rows ?? '1000000'),
    patienceSeconds: values.patience === undefined ? 0 : readCount('patience', values.patience),
    logFolder: values.logs,
    profileFolder: values.profile,
  }
}

function readCount(name: string, text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text)
  throw new Error(`--${name} must be a whole number from 1; it is "${text}".`)
}

function readSeconds(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text) && Number(text) > 0) return Number(text)
  throw new Error(`--seconds must be a number above 0; it is "${text}".`)
}
