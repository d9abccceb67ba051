import { clock } from '../hours/windows.ts'
import { chatWords as words } from '../words.ts'
import type { ChatValues } from './values.ts'

/** The fields as they are called on the screen. */
export const fieldNames: Record<keyof ChatValues, string> = {
  name: words.name,
  pages: words.pages,
  colour: words.colour,
  scheme: words.scheme,
  corner: words.corner,
  languages: words.languages,
  words: words.words,
  hours: words.people,
  zone: words.zone,
  campaignId: words.campaign,
  asksEmail: words.asksEmail,
  tellsPage: words.tellsPage,
  takesFiles: words.takesFiles,
  showsNames: words.showsNames,
  keeps: words.keeps,
  deletes: words.deletes,
  members: words.members,
  ...words.caps,
}

/** Values as they are said on the screen, to show what somebody else has changed. */
export function sayValues(values: ChatValues): Record<keyof ChatValues, string> {
  const { scheme, corner, keeps, deletes, members, hours } = values
  const yes = (is: boolean) => (is ? words.yes : words.no)
  return {
    ...values,
    pages: values.pages.join(' · '),
    scheme: words.schemes[scheme],
    corner: words.corners[corner],
    languages: values.languages.map((language) => words.languageNames[language]).join(' · '),
    words: Object.entries(values.words)
      .flatMap(([language, said]) =>
        said
          ? [
              `${language}: ${[said.greeting, said.button, said.privacy, said.privacyUrl ?? ''].filter(Boolean).join(' / ')}`,
            ]
          : [],
      )
      .join(' · '),
    hours:
      hours === null
        ? words.always
        : [
            ...hours.windows.map((one) => `${words.days[one.day - 1]} ${clock(one.from)}–${clock(one.to)}`),
            ...hours.closed,
          ].join(' · '),
    campaignId: values.campaignId ?? words.campaignAny,
    asksEmail: yes(values.asksEmail),
    tellsPage: yes(values.tellsPage),
    takesFiles: yes(values.takesFiles),
    showsNames: yes(values.showsNames),
    keeps: words.keepsChoices[keeps][0],
    deletes: words.deletesChoices[deletes][0],
    members: words.membersChoices[members][0],
  }
}
