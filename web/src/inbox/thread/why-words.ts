import type { Answer } from '@patchbay/contract/app/messages.ts'

/** What the bot decided, and for what reason. */
export function sayDecision({ outcome, reason, engine }: Answer): { title: string; rest: string } {
  const isBuiltin = engine === 'builtin'
  const known = reasons[reason]
  switch (outcome) {
    case 'answered':
      if (known) return known
      return isBuiltin || engine === null || engine === 'rule'
        ? { title: 'Answered word for word', rest: 'from an entry that was near enough.' }
        : { title: 'Written by a model', rest: 'from the entries below, and checked before it left.' }
    case 'offered':
      return {
        title: 'Offered what was nearest',
        rest: known?.rest ?? 'because none was near enough to be the answer.',
      }
    case 'fell back':
      return { title: known?.title || 'Said that it does not know', rest: known?.rest ?? 'because no entry was near.' }
    case 'handed over':
      return { title: 'Handed over to a person', rest: known?.rest ?? 'and says nothing more here.' }
    case 'silent':
      return { title: 'Said nothing', rest: known?.rest ?? 'by a rule of the campaign.' }
    case 'skipped':
      return { title: 'Did not answer', rest: known?.rest ?? reason }
  }
}

const reasons: Record<string, { title: string; rest: string } | undefined> = {
  near: { title: 'Answered word for word', rest: 'from an entry that was near enough and clearly ahead.' },
  'nearest after an offer': { title: 'Answered word for word', rest: 'from the nearest entry, after one offer.' },
  picked: { title: 'Answered word for word', rest: 'from the entry that was picked from the offer.' },
  greeting: { title: 'Greeted back', rest: 'with the greeting of the campaign. Free of charge.' },
  thanks: { title: 'Answered thanks', rest: 'with the text of the campaign. Free of charge.' },
  'two are near': { title: '', rest: 'because two entries were equally near.' },
  'not near enough': { title: '', rest: 'because none was near enough to be the answer.' },
  'nothing near': { title: '', rest: 'because no entry was near.' },
  'offered before': { title: '', rest: 'because an offer was made just before.' },
  misses: { title: 'Called a person', rest: 'because it had no answer as often as the campaign allows.' },
  'none of the offered': { title: '', rest: 'because none of the offered was wanted.' },
  'picked is off': { title: '', rest: 'because the picked entry is switched off by now.' },
  'asked for a person': { title: '', rest: 'because the contact asked for one.' },
  engine_error: { title: '', rest: 'because its engine failed.' },
  stale: { title: '', rest: 'because the question was too old to answer by itself.' },
  no_credits: { title: '', rest: 'because no credits were left.' },
  file_only: { title: '', rest: 'because a file came without a word.' },
  stopped: { title: '', rest: 'because the contact takes nothing more from this channel.' },
  closed: { title: '', rest: 'because you have closed the chat with the contact.' },
  channel_paused: { title: '', rest: 'because the channel was paused.' },
  channel_removed: { title: '', rest: 'because the channel was disconnected.' },
  no_address: { title: '', rest: 'because the contact is not known on this channel any more.' },
  'asked not to be written to': { title: '', rest: 'because the contact asked not to be written to.' },
}

const routings: Record<string, string | undefined> = {
  explicit: 'named by the caller',
  keyword: 'by a keyword',
  assigned: 'had this conversation already',
  default: 'the default',
  unknown_campaign: 'the caller named one that is not here',
}

/** Why this campaign answered. */
export function sayRouting(routing: string | null): string | undefined {
  return routing === null ? undefined : (routings[routing] ?? undefined)
}

const engines: Record<string, string | undefined> = {
  builtin: 'Built-in',
  rule: 'Rule',
  openai: 'OpenAI',
  'openai-compatible': 'OpenAI-compatible',
  anthropic: 'Anthropic',
}

export function sayEngine(engine: string | null): string | undefined {
  return engine === null ? undefined : (engines[engine] ?? engine)
}
