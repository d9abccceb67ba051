import { hasSqlState } from '../../src/platform/database/errors.ts'
import { OperatorError } from '../../src/platform/operator-error.ts'
import { Refusal } from '../../src/platform/refusal.ts'
import type { Outside } from './command.ts'
import { escapeForTerminal, toJson } from './lay-out.ts'

/** A statement that exceeded its time limit, or waited too long for a lock: the database is busy, the command is right. */
const tooSlow =
  'The database took too long and stopped the command halfway. It may be busy: see `patchbay status`, and run the command again.'

/** Prints the result of a command. With --json that is exactly one document on standard output, also for an error. */
export type Printer = {
  print: (document: Record<string, unknown>, text: string) => void
  /** Something besides the result: on standard error, so that the document stays alone. */
  note: (sentence: string) => void
  printError: (error: unknown) => void
}

export function openPrinter({ stdout, stderr }: Pick<Outside, 'stdout' | 'stderr'>, json: boolean): Printer {
  let hasPrinted = false
  const print: Printer['print'] = (document, text) => {
    hasPrinted = true
    stdout.write(json ? toJson(document) : text)
  }
  const say = (sentence: string) => stderr.write(`${escapeForTerminal(sentence)}\n`)
  return {
    print,
    note: say,
    printError: (raised) => {
      const error = hasSqlState(raised, '57014', '55P03') ? new OperatorError(tooSlow, { cause: raised }) : raised
      const isRefusal = error instanceof OperatorError || error instanceof Refusal
      if (isRefusal) say(withQuote(error))
      if (json && !hasPrinted) print({ error: nameError(error) }, '')
      // Node prints it with its stack and ends the process, even if handles are still open.
      if (!isRefusal) throw error
    },
  }
}

function withQuote(error: OperatorError | Refusal): string {
  return error instanceof Refusal && error.quote ? `${error.message} (${error.quote})` : error.message
}

function nameError(error: unknown): { code: string; message: string } {
  if (error instanceof Refusal) return { code: error.code, message: withQuote(error) }
  if (error instanceof OperatorError) return { code: 'COMMAND_FAILED', message: error.message }
  return { code: 'INTERNAL', message: `Something went wrong: ${error instanceof Error ? error.message : error}` }
}
