import type { ChatHours } from '@patchbay/contract/chat/settings.ts'
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
    words: wordsProblem(values.words),
    hours: values.hours !== null && hoursProblem(values.hours),
    ...Object.fromEntries(caps.map(([cap, most]) => [cap, !isCount(values[cap], most) && words.capWrong(most)])),
  }
}

function pagesProblem(pages: readonly string[]): string | undefined {
  if (pages.length === 0) return words.pagesNone
  if (pages.length > mostPages) return words.pagesTooMany(mostPages)
  const wrong = pages.find((page) => pageName(page) === undefined)
  return wrong === undefined ? undefined : words.pageWrong(wrong)
}

function wordsProblem(said: ChatValues['words']): string | undefined {
  const isWrong = Object.values(said).some((one) => one?.privacyUrl && !/^https?:\/\/[^\s/]+/i.test(one.privacyUrl))
  return isWrong ? words.privacyUrlWrong : undefined
}

function hoursProblem({ zone, windows }: ChatHours): string | undefined {
  const open = windows.find(({ from, to }) => from === '' || to === '')
  if (open) return words.timeMissing(words.days[open.day - 1] ?? '')
  if (windows.length === 0) return words.hoursNone
  return zone.trim() === '' ? words.zoneMissing : undefined
}

function isCount(text: string, most: number): boolean {
  const count = Number(text)
  return /^\s*\d+\s*$/.test(text) && count >= 1 && count <= most
}
