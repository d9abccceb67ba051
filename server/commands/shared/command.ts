import type { Config } from '../../src/platform/config/config.ts'
import type { Db } from '../../src/platform/database/db.ts'
import type { Log } from '../../src/platform/log.ts'

/** What a command prints: JSON with --json, else formatted text. Undefined: it has printed already. */
export type Result = Record<string, unknown> | undefined

/** What a command is given by the process it runs in, and prints to. */
export type Outside = {
  env: Readonly<Record<string, string | undefined>>
  stdin: Input
  stdout: Output
  stderr: Output
  /** Unset: the log is on standard error, too, which the logger writes to by itself. */
  openLog?: (level: string) => OpenLog
}

type OpenLog = { log: Log; flush: () => void }

type Input = NodeJS.ReadableStream & { isTTY?: boolean }
type Output = NodeJS.WritableStream & { isTTY?: boolean }

export type CommandCtx = {
  config: Config
  json: boolean
  /** For a command that prints before it ends: the document with --json, else the text. */
  print: (document: Record<string, unknown>, text: string) => void
  /** Says something besides the result, on standard error. */
  note: (sentence: string) => void
  /** The same for a person who waits: a script is not told. */
  noteOnTerminal: (sentence: string) => void
  /** What it was asked to check is not as it should be: the exit code will be 1, whatever it prints. */
  fail: () => void
  /** Asks on the terminal; undefined when there is none. */
  ask: ((question: string) => Promise<string>) | undefined
  openLog: (level: string) => Promise<OpenLog>
  /** Opens the database, beside a running server or without one, and closes it afterwards. */
  withDatabase: <Value>(work: (db: Db) => Promise<Value>) => Promise<Value>
}

type Words = readonly string[]

/** The name of a command's options, and what it does in one line. */
export type Declaration<Required extends Words = Words, Optional extends Words = Words, Flags extends Words = Words> = {
  summary: string
  /** Options that take a value and must be given, that take a value, and that take none. */
  required: Required
  optional: Optional
  flags: Flags
  /** What the words that are no options mean, if there may be any. They reach the command as one text. */
  words: string | undefined
}

type Declared<Required extends Words, Optional extends Words, Flags extends Words> = Partial<
  Declaration<Required, Optional, Flags>
> & { summary: string }

export function declare<
  const Required extends Words = [],
  const Optional extends Words = [],
  const Flags extends Words = [],
>({
  summary,
  required,
  optional,
  flags,
  words,
}: Declared<Required, Optional, Flags>): Declaration<Required, Optional, Flags> {
  const none: Words = []
  return {
    summary,
    required: required ?? (none as Required), // left out, it is the empty list
    optional: optional ?? (none as Optional),
    flags: flags ?? (none as Flags),
    words,
  }
}

/** The options of a declared command, by name and with their types. */
export type OptionsOf<Command> =
  Command extends Declaration<infer Required, infer Optional, infer Flags>
    ? { [Name in Required[number]]: string } & { [Name in Optional[number]]: string | undefined } & {
        [Name in Flags[number]]: boolean
      }
    : never
