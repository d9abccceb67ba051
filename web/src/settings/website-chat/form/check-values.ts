import { chatLanguages } from '@patchbay/contract/chat/protocol.ts'
import type { FieldErrors } from '../../../ui/use-form.ts'
import { pageName } from '../line/page-names.ts'
import { isColour } from '../look/contrast.ts'
import { chatWords as words } from '../words.ts'
import type { ChatValues } from './values.ts'

const mostPages = 50

/** The most that each limit may be; the server has the same. */
const mostOf = {
  contactsAMinute: 10_000,
  contactsADay: 1_000_000,
  messagesAMinute: 100_000,
  messagesADay: 10_000_000,
  fileBytesADay: 1_000_000,
  modelAnswersADay: 1_000_000,
} as const

/** What is wrong with what was typed, at its field. */
export function problemsOf(values: ChatValues): FieldErrors<ChatValues> {
  const caps = Object.entries(mostOf) as [keyof typeof mostOf, number][]
  return {
    pages: pagesProblem(values.pages),
    colour: !isColour(values.colour) && words.colourWrong,
    name: values.name.trim() === '' && words.nameMissing,
    languages: values.languages.length === 0 && words.languagesNone,
    words: wordsProblem(values),
    hours: values.hours !== null && weekProblem(values.hours),
    zone: values.hours !== null && values.zone.trim() === '' && words.zoneMissing,
    ...Object.fromEntries(caps.map(([cap, most]) => [cap, !isCount(values[cap], most) && words.capWrong(most)])),
  }
}

function pagesProblem(pages: readonly string[]): string | undefined {
  if (pages.length === 0) return words.pagesNone
  if (pages.length > mostPages) return words.pagesTooMany(mostPages)
  const wrong = pages.find((page) => pageName(page) === undefined)
  return wrong === undefined ? undefined : words.pageWrong(wrong)
}

/** The one that is wrong need not be that of the language that is shown. */
function wordsProblem({ words: said, languages }: ChatValues): string | undefined {
  const isWrong = (url: string | null | undefined) => url && !/^https?:\/\/[^\s/]+/i.test(url)
  const wrong = chatLanguages.find((language) => isWrong(said[language]?.privacyUrl))
  if (!wrong) return undefined
  const isOnly = languages.length === 1 && languages[0] === wrong
  return isOnly ? words.privacyUrlWrong : `${words.languageNames[wrong]}: ${words.privacyUrlWrong}`
}

function weekProblem({ windows }: NonNullable<ChatValues['hours']>): string | undefined {
  const open = windows.find(({ from, to }) => from === '' || to === '')
  if (open) return words.timeMissing(words.days[open.day - 1] ?? '')
  return windows.length === 0 ? words.hoursNone : undefined
}

function isCount(text: string, most: number): boolean {
  const count = Number(text)
  return /^\s*\d+\s*$/.test(text) && count >= 1 && count <= most
}
