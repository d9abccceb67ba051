import { guessLanguage, type Language } from '../../knowledge/search/language.ts'

/** A message that lists stored questions with numbers, or asks about the only one, below a line in their language. */
export function offerText(questions: string[], language: string): string {
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
