import { z } from 'zod'
import { EngineError } from '../common/engine.ts'

/** What the model is asked for. */
export const outputSchema = z.object({
  action: z.enum(['answer', 'clarify', 'handover', 'none']),
  reply: z.string(),
  entries: z.array(z.string()),
})

export type ModelOutput = z.infer<typeof outputSchema>

const readable = outputSchema.extend({
  reply: z.string().nullish(),
  entries: z.array(z.union([z.string(), z.number()])).nullish(),
})

/**
 * Reads what the model said. A server that knows no JSON gives plain text: that is an answer that names no entry. Broken
 * JSON is a failure, for nobody wants to read it.
 */
export function readOutput(text: string): ModelOutput {
  const said = withoutThoughts(text)
  const { action, reply, entries } = objectIn(said) ?? plain(said)
  return { action, reply: reply ?? '', entries: (entries ?? []).map((id) => String(id).toLowerCase()) }
}

/** Some local servers put what the model thought before what it says. */
function withoutThoughts(text: string): string {
  return text
    .replace(/^.*<\/think(?:ing)?>/is, '')
    .replace(/<think(?:ing)?>.*$/is, '')
    .trim()
}

function objectIn(text: string): z.infer<typeof readable> | undefined {
  const [start, end] = [text.indexOf('{'), text.lastIndexOf('}')]
  if (start === -1 || end < start) return undefined
  try {
    return readable.safeParse(JSON.parse(text.slice(start, end + 1))).data
  } catch {
    return undefined
  }
}

function plain(text: string): ModelOutput {
  if (/^(```\s*\w*\s*)?[{[]|"action"\s*:/.test(text)) {
    throw new EngineError('The model gave JSON that cannot be read.', { isFinal: false })
  }
  return { action: 'answer', reply: text, entries: [] }
}
