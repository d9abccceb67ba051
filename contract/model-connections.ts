export const connectionKinds = ['openai-compatible', 'openai', 'anthropic'] as const
export type ConnectionKind = (typeof connectionKinds)[number]

/**
 * How much a model is given for one answer, where nobody has said it. A local server keeps about 4,000 tokens unless it
 * is told otherwise, and silently cuts the rest.
 */
export const usualPromptTokens: Record<ConnectionKind, number> = {
  'openai-compatible': 3_000,
  openai: 16_000,
  anthropic: 16_000,
}

/** Between what was refused and the setting by which the operator can allow it. */
export const allowedBy = ' Whoever runs this server can allow it: '
