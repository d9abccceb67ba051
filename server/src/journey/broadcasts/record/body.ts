import { isVisible } from '@patchbay/contract/text.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { checkBody } from '../../messages/body.ts'
import { bodyFor } from './body-for.ts'
import { placesOf, type Way } from './way.ts'

/** The most bytes that a first name can have where it is filled in. */
const longestNameBytes = 160

/** The longest names that are filled in: of letters that every phone knows, and of such that take the most bytes. */
const longestNames = ['x'.repeat(40), '\u{10300}'.repeat(longestNameBytes / 4)]

const placeholders = /\{\{[^{}]*\}\}/g
const knownPlaceholder = /^\{\{ ?firstName ?\}\}$/

/** Refuses a text that would not be a message to some of its readers, or that the channel would not take with some names. */
export function checkBroadcastBody(body: string, way: Way | undefined): void {
  const unknown = body.match(placeholders)?.find((one) => !knownPlaceholder.test(one))
  if (unknown !== undefined) {
    throw new Refusal('INVALID_REQUEST', `body has ${unknown}; only {{firstName}} can be filled in.`)
  }
  if (!isVisible(bodyFor(body, null))) {
    throw new Refusal(
      'INVALID_REQUEST',
      'body must have a text besides {{firstName}}: some contacts have no first name.',
    )
  }
  checkBody(body.replace(placeholders, 'x'.repeat(longestNameBytes)), 'body with names filled in')
  if (way) for (const name of [null, ...longestNames]) placesOf(way, bodyFor(body, name))
}
