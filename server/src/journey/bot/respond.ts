import type { Answer, Engine, TurnInput } from '../../answers/engines/common/engine.ts'
import { fillIn } from '../../answers/engines/common/fill-in.ts'
import { readIntent } from '../../answers/engines/intents/read-intent.ts'
import type { Handler } from '../conversations/conversation-store.ts'

/** The bot's answer to a text, and who answers from then on, if that changes. */
type Response = { answer: Answer; handler: Handler | undefined }

/**
 * A request for a person and an opt-out are recognized by rule and never reach an engine. Everything else is answered
 * by the engine.
 */
export async function respond(engine: Engine, input: TurnInput, signal: AbortSignal): Promise<Response> {
  const ruled = respondByRule(input)
  if (ruled) return ruled
  const answer = await engine.generate(input, signal)
  if (answer.kind !== 'handover') return { answer, handler: undefined }
  return { answer: { ...answer, text: answer.text ?? handoverTextOf(input) }, handler: toPerson('handover') }
}

/** Undefined: it is for an engine. */
export function respondByRule(input: TurnInput): Response | undefined {
  const intent = input.choice ? undefined : readIntent(input.text, input.settings) // the words on a button are ours
  if (intent === 'stop') {
    return { answer: byRule('silent', null, 'asked not to be written to'), handler: undefined }
  }
  if (intent !== 'person') return undefined
  return { answer: byRule('handover', handoverTextOf(input), 'asked for a person'), handler: toPerson('requested') }
}

const handoverTextOf = (input: TurnInput) => input.settings.handoverText && fillIn(input.settings.handoverText, input)

/** A miss after which a person is called says so, where the campaign has a text for it. */
export function sayPersonIsCalled(miss: Answer, input: TurnInput): Answer {
  const { handoverText } = input.settings
  return { ...miss, reason: 'misses', text: handoverText === null ? miss.text : fillIn(handoverText, input) }
}

/** Answers and offers are charged; greetings, thanks, fallbacks and handovers are free. */
export function isCharged({ kind, reason }: Answer): boolean {
  return kind === 'offer' || (kind === 'answer' && reason !== 'greeting' && reason !== 'thanks')
}

const toPerson = (reason: string): Handler => ({ handler: 'person', reason })

function byRule(kind: Answer['kind'], text: string | null, reason: string): Answer {
  return { kind, text, reason, sources: [], offered: [], choices: [], engine: 'rule', model: null, usage: null }
}

/** The part of a result that hands the conversation over to a person, and tells the contact if there is a text. */
export function handOver(text: string | null, reason: string) {
  return { outcome: 'handed over' as const, reason, text, handler: toPerson(reason), waiting: reason }
}
