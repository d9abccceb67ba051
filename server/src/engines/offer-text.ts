import { guessLanguage, type Language } from '../knowledge/language.ts'

/** One message that lists stored questions with numbers, below a line in their language. */
export function offerText(questions: string[], language: string): string {
  const list = questions.map((question, i) => `${i + 1}. ${question}`).join('\n')
  return `${leadIn(questions, language)}\n${list}`
}

function leadIn(questions: string[], language: string): string {
  const tag = language === 'auto' ? guessLanguage(questions.join('\n')) : language.split('-')[0]
  return leadIns[tag as Language] ?? leadIns.en // any other tag has no line of its own
}

const leadIns: Record<Language, string> = {
  en: 'Did you mean one of these? Answer with its number.',
  de: 'Meinten Sie eine dieser Fragen? Antworten Sie mit der Nummer.',
  es: '¿Se refiere a una de estas preguntas? Responda con su número.',
  fr: 'Est-ce l’une de ces questions ? Répondez par son numéro.',
  pt: 'É uma destas perguntas? Responda com o número.',
  it: 'È una di queste domande? Risponda con il numero.',
  nl: 'Bedoelt u een van deze vragen? Antwoord met het nummer.',
}
