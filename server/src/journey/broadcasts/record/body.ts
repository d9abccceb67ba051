import { isVisible } from '@patchbay/contract/text.ts'
import { fillIn } from '../../../answers/engines/common/fill-in.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { checkBody } from '../../messages/body.ts'

/** The most bytes that a first name can have where it is filled in. */
const longestNameBytes = 160

const placeholders = /\{\{[^{}]*\}\}/g
const knownPlaceholder = /^\{\{ ?firstName ?\}\}$/

/** Refuses a text that would not be a message to some of its readers. */
export function checkBroadcastBody(body: string): void {
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
}

/** The text for one contact. */
export function bodyFor(body: string, firstName: string | null): string {
  return fillIn(body, { firstName, settings: { businessName: null } })
}
