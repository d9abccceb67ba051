import type { Config } from '../../src/platform/config/config.ts'
import type { Db } from '../../src/platform/database/db.ts'

/** What a command prints: JSON with --json, else formatted text. Undefined: it has printed already. */
type Result = Record<string, unknown> | undefined

export type CommandCtx = {
  config: Config
  json: boolean
  /** For a command that prints before it ends: the document with --json, else the text. */
  print: (document: Record<string, unknown>, text: string) => void
  /** Asks on the terminal; undefined when there is none. */
  ask: ((question: string) => Promise<string>) | undefined
  /** Opens the database, beside a running server or without one, and closes it afterwards. */
  withDatabase: <Value>(work: (db: Db) => Promise<Value>) => Promise<Value>
}

type Words = readonly string[]
type Values<Required extends Words, Optional extends Words, Flags extends Words> = {
  [Name in Required[number]]: string
} & { [Name in Optional[number]]: string | undefined } & { [Name in Flags[number]]: boolean }

type Declaration<Required extends Words, Optional extends Words, Flags extends Words> = {
  summary: string
  /** Options that take a value and must be given, that take a value, and that take none. */
  required?: Required
  optional?: Optional
  flags?: Flags
  /** Name of the positional arguments, if the command takes any. `run` gets them as one text. */
  words?: string
  run: (ctx: CommandCtx, options: Values<Required, Optional, Flags>, words: string) => Promise<Result>
}

export type Command = {
  summary: string
  required: Words
  optional: Words
  flags: Words
  words: string | undefined
  run: (ctx: CommandCtx, options: Record<string, unknown>, words: string) => Promise<Result>
}

/** Declares a command; its options reach `run` by name and with the right types. */
export function command<
  const Required extends Words = [],
  const Optional extends Words = [],
  const Flags extends Words = [],
>({ summary, required, optional, flags, words, run }: Declaration<Required, Optional, Flags>): Command {
  return {
    summary,
    required: required ?? [],
    optional: optional ?? [],
    flags: flags ?? [],
    words,
    // The parser has checked the options against the three lists above, which is what the type says.
    run: (ctx, options, given) => run(ctx, options as Values<Required, Optional, Flags>, given),
  }
}
