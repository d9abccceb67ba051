import { multipart } from '../common/multipart.ts'
import type { OutFile, ProviderCall } from '../kind.ts'

/** `token` is the bot's; `secretToken` is ours, and Telegram shows it with each call of our hook. */
export type TelegramSecrets = { token: string; secretToken: string }

/** A request to a method of the Bot API. The token is part of its address, which is why that is never logged. */
export function callMethod(
  { token }: TelegramSecrets,
  method: string,
  parameters: Readonly<Record<string, unknown>> = {},
): ProviderCall {
  return {
    origin: 'api',
    path: `/bot${token}/${method}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(parameters),
    operation: method,
    secret: token,
  }
}

/** Longer than for a text, and shorter than a message is leased for. */
const uploadMs = 20_000

/** The same with a file. What is no text goes as JSON. */
export function callWithFile(
  { token }: TelegramSecrets,
  method: string,
  { parameters, file }: { parameters: Readonly<Record<string, unknown>>; file: [name: string, file: OutFile] },
): ProviderCall {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  const fields = given.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
  const form = multipart(Object.fromEntries(fields), file)
  return {
    origin: 'api',
    path: `/bot${token}/${method}`,
    method: 'POST',
    ...form,
    operation: method,
    secret: token,
    attemptMs: uploadMs,
  }
}
