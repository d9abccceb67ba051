import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

export type Options = {
  /** Prints a line with the time since the start. */
  say: (line: string) => void
  /** Names of runs; none: the steady one. */
  only: string[]
  /** Undefined: as long as the run usually takes. */
  minutes: number | undefined
  seed: number
  /** The checkout whose product is attacked. */
  server: string
  outFile: string | undefined
  logFolder: string | undefined
}

/** How long an attack lasts. */
export const attackMinutes = 5

export const usage = `npm run soak -- [--only NAME]… [--minutes N] [--seed N] [--server FOLDER] [--out FILE] [--logs FOLDER]

Without a name: 30 minutes of mixed load, with faults and attacks at random, while old messages are removed.

  --only     the name of a run below, or several; "attacks" for all of them, one after another
  --minutes  how long each lasts (5, and 30 without a name)
  --seed     seed of the random numbers; printed at the start, so that a run can be repeated
  --server   another checkout of the product to run, such as the previous version
  --out      write the results to this file: as JSON, or for people if its name ends with .md
  --logs     keep the servers' logs in this folder
`

export function readOptions(args: string[]): Options | undefined {
  const text = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    args,
    options: {
      only: { type: 'string', multiple: true },
      minutes: text,
      seed: text,
      server: text,
      out: text,
      logs: text,
      help: { type: 'boolean', default: false },
    },
    allowPositionals: true, // `--only a b`
  })
  if (values.help) return undefined
  return {
    say: (line) => process.stdout.write(`${(performance.now() / 1_000).toFixed(0).padStart(4)} s  ${line}\n`),
    only: [...(values.only ?? []), ...positionals].flatMap((names) => names.split(',')),
    minutes: values.minutes === undefined ? undefined : readNumber('minutes', values.minutes),
    seed: values.seed === undefined ? Math.trunc(Math.random() * 2 ** 31) : readNumber('seed', values.seed),
    server: resolve(values.server ?? resolve(import.meta.dirname, '../..')),
    outFile: values.out,
    logFolder: values.logs,
  }
}

function readNumber(name: string, text: string): number {
  if (/^\d+(\.\d+)?$/.test(text) && Number(text) > 0) return Number(text)
  throw new Error(`--${name} must be a number above 0; it is "${text}".`)
}
