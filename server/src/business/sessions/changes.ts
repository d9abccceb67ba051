import type { AppRouteName } from '@patchbay/contract/app/routes.ts'
import { type AccountId, isId } from '../../platform/ids.ts'
import type { Hint, HintTopic } from '../../platform/notify/hints.ts'

/** The first segment of every route that changes something. */
type Segment =
  Exclude<AppRouteName, `GET ${string}`> extends infer Name
    ? Name extends `${string} /api/${infer Path}`
      ? Path extends `${infer First}/${string}`
        ? First
        : Path
      : never
    : never

/** What the routes of a segment may change on a screen, besides the conversation that their path names. */
const changedBy: Record<Segment, Exclude<HintTopic, `con_${string}`>[]> = {
  session: ['sessions'],
  sessions: ['sessions'],
  account: ['account', 'sessions'],
  team: ['team', 'sessions'],
  links: [],
  agency: ['account', 'credits', 'webhook'],
  conversations: [],
  'saved-replies': ['saved-replies'],
  contacts: ['contacts', 'lists'],
  imports: ['imports'],
  lists: ['lists', 'contacts'],
  broadcasts: ['broadcasts'],
  campaigns: ['campaigns'],
  connections: ['campaigns'],
  channels: ['channels'],
  webhook: ['webhook'],
  deliveries: ['webhook'],
  alerts: ['webhook'],
  simulator: ['simulator', 'contacts'],
  'first-run': ['account', 'campaigns'],
}

/** Hints at what a request has changed. Called after its handler, when everything is committed. */
export function hintAtChanges(
  hint: Hint,
  name: AppRouteName,
  request: { accountId: AccountId; params: unknown },
): void {
  if (name.startsWith('GET ')) return
  const segment = name.split('/')[2] as Segment // of a route that changes something
  for (const topic of changedBy[segment]) hint(request.accountId, topic)
  const { contactId } = request.params as { contactId?: string }
  if (contactId !== undefined && isId('con', contactId)) hint(request.accountId, contactId)
}
