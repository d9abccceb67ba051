import { z } from 'zod'
import { EngineError } from '../common/engine.ts'

/** The schema that the model is asked to follow. */
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
 * Parses the output of the model. Plain text, from a server without JSON support, is an answer that names no entry.
 * Broken JSON is a failure, because a contact must not see it.
 */
export function readOutput(text: string): ModelOutput {
  const output = withoutReasoning(text)
  const { action, reply, entries } = objectIn(output) ?? plain(output)
  return { action, reply: reply ?? '', entries: (entries ?? []).map((id) => String(id).toLowerCase()) }
}

/** Some local servers put the reasoning of the model before its output. */
function withoutReasoning(text: string): string {
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
