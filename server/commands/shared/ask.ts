import { createInterface } from 'node:readline/promises'
import type { Outside } from './command.ts'

/**
 * Asks a question on the terminal; undefined when there is none, as in a script. The question goes to standard error, so
 * that standard output has the result only.
 */
export function askOnTerminal({
  stdin: input,
  stderr: output,
}: Outside): ((question: string) => Promise<string>) | undefined {
  return input.isTTY && output.isTTY ? (question) => askOn({ input, output }, question) : undefined
}

/** Returns the line typed; input that ends without one, as by Ctrl-D, is an empty answer. */
export async function askOn(
  streams: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream },
  question: string,
): Promise<string> {
  using terminal = createInterface(streams)
  const { promise, resolve } = Promise.withResolvers<string>()
  terminal.once('close', () => resolve(''))
  return await Promise.race([terminal.question(question), promise])
}
