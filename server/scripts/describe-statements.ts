import { statements as rateWindows } from '../src/accounts/rate-window-store.ts'
import { statements as accounts } from '../src/accounts/store.ts'
import { statements as sessions } from '../src/app-api/session-store.ts'
import { statements as turns } from '../src/bot/turns/claim-store.ts'
import { statements as credits } from '../src/credits/store.ts'
import { statements as simulator } from '../src/delivery/attempt/simulator-store.ts'
import { statements as claims } from '../src/delivery/claim/store.ts'
import { statements as outcomes } from '../src/delivery/outcome/settle-store.ts'
import { statements as removal } from '../src/intake/removal-store.ts'
import { statements as incoming } from '../src/intake/store.ts'
import { statements as outgoing } from '../src/messages/store.ts'
import { statements as links } from '../src/team/link-store.ts'

/** Every store that runs statements by name, and these statements. */
export const storesWithStatements: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'server/src/accounts/rate-window-store.ts': rateWindows,
  'server/src/accounts/store.ts': accounts,
  'server/src/app-api/session-store.ts': sessions,
  'server/src/bot/turns/claim-store.ts': turns,
  'server/src/credits/store.ts': credits,
  'server/src/delivery/attempt/simulator-store.ts': simulator,
  'server/src/delivery/claim/store.ts': claims,
  'server/src/delivery/outcome/settle-store.ts': outcomes,
  'server/src/intake/removal-store.ts': removal,
  'server/src/intake/store.ts': incoming,
  'server/src/messages/store.ts': outgoing,
  'server/src/team/link-store.ts': links,
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
