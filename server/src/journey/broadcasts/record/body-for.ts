import { fillIn } from '../../../answers/engines/common/fill-in.ts'

/** The text for one contact. */
export function bodyFor(body: string, firstName: string | null): string {
  return fillIn(body, { firstName, settings: { businessName: null } })
}
