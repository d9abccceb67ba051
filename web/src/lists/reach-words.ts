import type { Reach } from '@patchbay/contract/app/broadcasts.ts'

const format = new Intl.NumberFormat()
const number = (n: number) => format.format(n)

export const reachWords = {
  /** How many of a list can be written to, and how. Whoever opted out cannot, with or without an ID. */
  reach: (reach: Reach) => {
    const { contacts, optedOut } = reach
    if (contacts === optedOut) {
      return contacts === 0 ? 'Nobody is on this list yet.' : 'Nobody can be reached: everybody has opted out.'
    }
    return [...sayIds(reach), ...(optedOut > 0 ? [`${number(optedOut)} opted out.`] : [])].join(' ')
  },
} as const

const nothing = 'no phone number or e-mail address that could become one'

function sayIds({ contacts, optedOut, withId, byPhone, byEmail }: Reach): string[] {
  const people = contacts - optedOut
  const others = people - withId
  const isReachable = byPhone + byEmail > 0
  if (withId === 0) {
    if (!isReachable) return [`Nobody can be reached: no ID, and ${nothing}.`]
    const none = people === 1 ? 'The one contact has no ID yet.' : `None of ${number(people)} has an ID yet.`
    return [none, sayWays({ byPhone, byEmail, whom: people === 1 ? 'them' : undefined, more: '' })]
  }
  if (others === 0)
    return [
      people === 1
        ? 'The one contact can be reached by their ID.'
        : `All ${number(people)} can be reached by their ID.`,
    ]
  const some = `${number(withId)} of ${number(people)} can be reached by their ID.`
  if (!isReachable) return [some, `The other${others === 1 ? '' : 's'} cannot be reached: no ID, and ${nothing}.`]
  return [some, sayWays({ byPhone, byEmail, whom: others === 1 ? 'the other' : undefined, more: ' more' })]
}

type Ways = { byPhone: number; byEmail: number; whom: string | undefined; more: string }

/** Where it is one person, both ways lead to the same. */
function sayWays({ byPhone, byEmail, whom, more }: Ways): string {
  const count = (n: number) => (whom === undefined ? `${number(n)}${more} ` : '')
  const ways = [
    ...(byPhone > 0 ? [`${count(byPhone)}by phone number`] : []),
    ...(byEmail > 0 ? [`${count(byEmail)}by e-mail address`] : []),
  ]
  return `A broadcast can reach ${whom === undefined ? '' : `${whom} `}${ways.join(', or ')}.`
}
