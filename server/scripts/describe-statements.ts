import { statements as rateWindows } from '../src/business/accounts/rate-limit/rate-window-store.ts'
import { statements as accounts } from '../src/business/accounts/store.ts'
import { statements as credits } from '../src/business/credits/store.ts'
import { statements as sessions } from '../src/business/sessions/session-store.ts'
import { statements as links } from '../src/business/team/link-store.ts'
import { statements as dueWork } from '../src/due-work-store.ts'
import { statements as turns } from '../src/journey/bot/turns/claim-store.ts'
import { statements as claims } from '../src/journey/delivery/claim/store.ts'
import { statements as outcomes } from '../src/journey/delivery/outcome/settle-store.ts'
import { statements as simulator } from '../src/journey/delivery/transports/simulator/simulator-store.ts'
import { statements as known } from '../src/journey/intake/known-store.ts'
import { statements as removal } from '../src/journey/intake/removal-store.ts'
import { statements as incoming } from '../src/journey/intake/store.ts'
import { statements as knownOutgoing } from '../src/journey/messages/known-outgoing-store.ts'
import { statements as outgoing } from '../src/journey/messages/store.ts'

/** Every store that runs statements by name, and these statements. */
export const storesWithStatements: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'server/src/business/accounts/rate-limit/rate-window-store.ts': rateWindows,
  'server/src/business/accounts/store.ts': accounts,
  'server/src/business/sessions/session-store.ts': sessions,
  'server/src/journey/bot/turns/claim-store.ts': turns,
  'server/src/business/credits/store.ts': credits,
  'server/src/journey/delivery/transports/simulator/simulator-store.ts': simulator,
  'server/src/journey/delivery/claim/store.ts': claims,
  'server/src/journey/delivery/outcome/settle-store.ts': outcomes,
  'server/src/journey/intake/removal-store.ts': removal,
  'server/src/due-work-store.ts': dueWork,
  'server/src/journey/intake/known-store.ts': known,
  'server/src/journey/intake/store.ts': incoming,
  'server/src/journey/messages/known-outgoing-store.ts': knownOutgoing,
  'server/src/journey/messages/store.ts': outgoing,
  'server/src/business/team/link-store.ts': links,
}

/**
 * Returns the files of `server/sql`, by name: each has in its first line where the statement comes from, and after that
 * exactly what PostgreSQL gets.
 */
export function describeStatements(): Map<string, string> {
  const files = new Map<string, string>()
  for (const [store, statements] of Object.entries(storesWithStatements)) {
    for (const [name, text] of Object.entries(statements)) {
      const file = `${name}.sql`
      // A connection knows a statement by its name alone: the second text would never be run.
      if (files.has(file)) throw new Error(`two stores run a statement by the name ${name}; one is ${store}`)
      files.set(file, `-- From ${store}, by npm run generate.\n${text}`)
    }
  }
  return files
}
