/**
 * The built-in engine: answers with the stored texts of the campaign, word for word. It needs no key and no network,
 * invents nothing, and no message can make it say anything else.
 */

import { guessLanguage, type Language } from '../../knowledge/search/language.ts'
import type { KnownEntry, Ranking } from '../../knowledge/search/ranking.ts'
import type { Knowledge } from '../../knowledge/search/retrieval.ts'
import type { Answer, Engine, TurnInput } from '../common/engine.ts'
import { fillIn } from '../common/fill-in.ts'
import { readIntent, withoutGreeting } from '../intents/read-intent.ts'
import { readPick } from './read-pick.ts'

/**
 * Decides by the score of the best entry: at or above `answerThreshold`, and by `margin` ahead of the second, it is the
 * answer; at or above `offerThreshold` up to three entries are offered to choose from, once; else the reply is the
 * fallback.
 */
export function openBuiltinEngine(knowledge: Knowledge): Engine {
  return {
    generate: async (input, signal) => {
      signal.throwIfAborted()
      const answer =
        (await answerChoice(knowledge, input)) ??
        answerIntent(input) ??
        (await answerPick(knowledge, input)) ??
        (await answerQuestion(knowledge, input))
      signal.throwIfAborted()
      const text = answer.text === null ? null : fillIn(answer.text, input)
      const choices = answer.choices.map(({ entryId, title }) => ({ entryId, title: fillIn(title, input) }))
      return { ...answer, text, choices }
    },
  }
}

function answerOf(fields: Partial<Answer> & Pick<Answer, 'kind' | 'text' | 'reason'>): Answer {
  return { sources: [], offered: [], choices: [], engine: 'builtin', model: null, usage: null, ...fields }
}

/** The bot handles `person` and `stop` before it calls an engine; if one arrives here all the same, it gets no reply. */
function answerIntent({ text, settings }: TurnInput): Answer | undefined {
  switch (readIntent(text, settings)) {
    case 'person':
      return answerOf({ kind: 'handover', text: null, reason: 'person' })
    case 'stop':
      return answerOf({ kind: 'silent', text: null, reason: 'stop' })
    case 'greeting':
      return answerIfSet(settings.greetingText, 'greeting')
    case 'thanks':
      return answerIfSet(settings.thanksText, 'thanks')
    case undefined:
      return undefined
  }
}

function answerIfSet(text: string | null, reason: string): Answer {
  return answerOf({ kind: text === null ? 'silent' : 'answer', text, reason })
}

/** Answers with the entry whose button was tapped, also one of an older message than our last. */
async function answerChoice(knowledge: Knowledge, { choice, campaign, settings }: TurnInput) {
  if (!choice) return undefined
  const [entry] = await knowledge.find(campaign, [choice])
  return entry ? answerPicked(entry) : answerGone(settings.fallbackText)
}

const answerPicked = (entry: KnownEntry) => answerWith(entry, { score: 1, reason: 'picked', model: null })

const answerGone = (text: string | null) => answerOf({ kind: 'fallback', text, reason: 'picked is off' })

/** Answers with the entry that the contact picked from our last message. */
async function answerPick(knowledge: Knowledge, input: TurnInput): Promise<Answer | undefined> {
  if (input.offered.length === 0) return undefined
  const found = await knowledge.find(input.campaign, input.offered)
  // The numbers are those of the message, also when an entry has been switched off since.
  const entries = input.offered.map((entryId) => found.find((entry) => entry.entryId === entryId))
  const questions = entries.map((entry) => entry?.question ?? '')
  const pick = readPick(input.text, questions)
  if (pick === undefined) return undefined
  const picked = pick === 'none' ? undefined : entries[pick]
  if (picked) return answerPicked(picked)
  const { fallbackText } = input.settings
  if (pick !== 'none') return answerGone(fallbackText)
  return answerOf({ kind: 'fallback', text: fallbackText, reason: 'none of the offered' })
}

async function answerQuestion(knowledge: Knowledge, input: TurnInput): Promise<Answer> {
  const { settings, campaign, text } = input
  const ranking = await knowledge.rank(campaign, withoutGreeting(text), settings.language)
  const model = ranking.scoring === 'minilm' ? knowledge.modelId : ranking.scoring
  const [first] = ranking.entries
  const { band, reason } = bandOf(ranking, input)
  if (first && band === 'answer') return answerWith(first, { score: first.score, reason, model })
  const sources = ranking.entries.slice(0, mostOffered).map(({ entryId, score }) => ({ entryId, score }))
  if (band !== 'offer') return answerOf({ kind: 'fallback', text: settings.fallbackText, reason, sources, model })
  const offered = ranking.entries.slice(0, mostOffered).filter(({ score }) => score >= settings.offerThreshold)
  const questions = offered.map(({ question }) => question)
  return answerOf({
    kind: 'offer',
    text: offerText(questions, settings.language),
    reason,
    sources: offered.map(({ entryId, score }) => ({ entryId, score })),
    offered: offered.map(({ entryId }) => entryId),
    choices: offered.map(({ entryId, question }) => ({ entryId, title: question })),
    model,
  })
}

const mostOffered = 3

type Band = { band: 'answer' | 'offer' | 'fallback'; reason: string }

function bandOf({ entries: [first, second] }: Ranking, { settings, offered }: TurnInput): Band {
  const { answerThreshold, offerThreshold, margin } = settings
  if (!first || first.score < offerThreshold) return { band: 'fallback', reason: 'nothing near' }
  const isNear = first.score >= answerThreshold
  const isAhead = second === undefined || first.score - second.score >= margin
  if (isNear && isAhead) return { band: 'answer', reason: 'near' }
  if (offered.length === 0) return { band: 'offer', reason: isNear ? 'two are near' : 'not near enough' }
  // Never two offers in a row: the second one would not help.
  return isNear ? { band: 'answer', reason: 'nearest after an offer' } : { band: 'fallback', reason: 'offered before' }
}

function answerWith(
  { entryId, answer, handsOver }: KnownEntry,
  { score, reason, model }: { score: number; reason: string; model: string | null },
): Answer {
  const kind = handsOver ? 'handover' : 'answer'
  return answerOf({ kind, text: answer, reason, sources: [{ entryId, score }], model })
}

/** A message that lists stored questions with numbers, or asks about the only one, below a line in their language. */
function offerText(questions: string[], language: string): string {
  const [only, ...others] = questions
  if (only !== undefined && others.length === 0) return `${leadIn(forOne, questions, language)}\n${only}`
  const list = questions.map((question, i) => `${i + 1}. ${question}`).join('\n')
  return `${leadIn(forSeveral, questions, language)}\n${list}`
}

function leadIn(leadIns: Record<Language, string>, questions: string[], language: string): string {
  const tag = language === 'auto' ? guessLanguage(questions.join('\n')) : language.split('-')[0]
  return leadIns[tag as Language] ?? leadIns.en // any other tag has no line of its own
}

const forOne: Record<Language, string> = {
  en: 'Did you mean this? Answer with yes or no.',
  de: 'Meinten Sie das? Antworten Sie mit Ja oder Nein.',
  es: '¿Se refiere a esto? Responda sí o no.',
  fr: 'Est-ce votre question ? Répondez par oui ou non.',
  pt: 'É esta a sua pergunta? Responda sim ou não.',
  it: 'È questa la sua domanda? Risponda sì o no.',
  nl: 'Bedoelt u dit? Antwoord met ja of nee.',
}

const forSeveral: Record<Language, string> = {
  en: 'Did you mean one of these? Answer with its number.',
  de: 'Meinten Sie eine dieser Fragen? Antworten Sie mit der Nummer.',
  es: '¿Se refiere a una de estas preguntas? Responda con su número.',
  fr: 'Est-ce l’une de ces questions ? Répondez par son numéro.',
  pt: 'É uma destas perguntas? Responda com o número.',
  it: 'È una di queste domande? Risponda con il numero.',
  nl: 'Bedoelt u een van deze vragen? Antwoord met het nummer.',
}
