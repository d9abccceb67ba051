import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'

const root = resolve(import.meta.dirname, '../../..')

/** The files that say a name of a receiver, in quotes, and mean something else. */
const others: Record<string, string> = {
  'server/src/answers/engines/models/ask-model.ts': 'the name of a schema that models are given',
  'server/src/app/simulator/write-as.ts': 'the id that simulated messages are sent to',
  'server/src/business/sessions/changes.ts': 'the topics of live updates',
  'server/src/journey/delivery/transports/simulator/simulator-store.ts': 'what happened to a simulated contact',
  'server/src/platform/database/tables.ts': 'what happened to a simulated contact',
  'server/commands/conversations.ts': 'the name of a command',
}
const homes = ['server/src/outbox/receivers.ts', 'server/src/platform/ids.ts']

test('the names of receivers stand in one file, and everybody else uses its constants', () => {
  const files = globSync(['server/src/**/*.ts', 'server/commands/**/*.ts'], { cwd: root })
  const named = files.filter((file) =>
    /'(reply|recharge|alert|simulator)'/.test(readFileSync(resolve(root, file), 'utf8')),
  )
  assert.deepEqual(
    named.filter((file) => !homes.includes(file) && others[file] === undefined),
    [],
  )
  const gone = Object.keys(others).filter((file) => !named.includes(file))
  assert.deepEqual(gone, [], 'listed here, but says none of them')
})
