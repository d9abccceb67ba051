import { OperatorError } from '../../src/platform/operator-error.ts'
import { Refusal } from '../../src/platform/refusal.ts'
import { harmless, toJson } from './lay-out.ts'

/** Where a command's answer goes. With --json that is one document on standard output, whatever happens. */
export type Printer = {
  print: (document: Record<string, unknown>, text: string) => void
  printError: (error: unknown) => void
}

export function openPrinter(json: boolean): Printer {
  let hasPrinted = false
  const print: Printer['print'] = (document, text) => {
    hasPrinted = true
    process.stdout.write(json ? toJson(document) : text)
  }
  return {
    print,
    printError: (error) => {
      const isRefusal = error instanceof OperatorError || error instanceof Refusal
      if (isRefusal) process.stderr.write(`${harmless(error.message)}\n`)
      if (json && !hasPrinted) print({ error: nameError(error) }, '')
      // Node prints it with its stack, and ends the process, whatever is still open.
      if (!isRefusal) throw error
    },
  }
}

function nameError(error: unknown): { code: string; message: string } {
  if (error instanceof Refusal) return { code: error.code, message: error.message }
  if (error instanceof OperatorError) return { code: 'COMMAND_FAILED', message: error.message }
  return { code: 'INTERNAL', message: `Something went wrong: ${error instanceof Error ? error.message : error}` }
}
