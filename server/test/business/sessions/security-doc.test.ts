import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { test } from 'node:test'
import type { AppRoute } from '@patchbay/contract/app/route.ts'
import { appRoutes } from '@patchbay/contract/app/routes.ts'
import { measures } from './security-measures.ts'
import { promises } from './security-promises.ts'

const read = async () => readFile(resolve(import.meta.dirname, '../../../../docs/security.md'), 'utf8')

/** The rows of the table "Who may do what in the app", by their first words, and the routes that each speaks of. */
const rows: Record<string, RegExp> = {
  'Read and answer conversations':
    /^(GET|DELETE) \/api\/session$|\/session\/visit$|GET \/api\/(live|account|counts|search|search\/count|assignees|conversation-filters|alerts\/state|openapi.json|reference|certificate)$|\/api\/(conversations|messages|media|saved-replies)\b|\/deliveries\/:id\/resend|first-run$|first-run\/hidden/,
  'See, make and change contacts and lists':
    /^(GET|POST|PATCH|PUT|DELETE) \/api\/(contacts|contacts\/:contactId|contacts\/:contactId\/lists\/:listId|lists|lists\/:listId|lists\/:listId\/reach|lists\/:listId\/members|lists\/:listId\/members\/remove)$/,
  'Teach the bot': /\/api\/(campaigns|simulator)\b/,
  'See broadcasts, reports':
    /^GET \/api\/(broadcasts|reports|deliveries|calls|connections|channels|webhook)\b(?!.*\/events$)/,
  'Change the own name and password': /^(DELETE \/api\/sessions|PATCH \/api\/account|PUT \/api\/account\/password)$/,
  'Import contacts; start, pause': /\/api\/imports\b|^POST \/api\/broadcasts\b|^DELETE \/api\/lists\/:listId$/,
  'Switch the bot, set the time zone':
    /^PUT \/api\/account\/(bot|time-zone)$|^(PUT|POST) \/api\/webhook\b|\/api\/alerts\/(settings|webhook|deliveries)\b|\/api\/deliveries\/resend|\/api\/first-run\/entry/,
  "See a sub-account's credits": /^GET \/api\/credits/,
  'API key, signing secrets, team':
    /\/(account\/key|account\/retention|webhook\/secret|webhook\/rotate|webhook\/old-secret|contacts\/export|session\/told)\b|\/api\/(team|audit)\b|^(POST|PATCH|DELETE) \/api\/(connections|channels)|\/channels\/:channelId\/events$|^DELETE \/api\/(contacts\/:contactId|simulator)$/,
  "An agency's sub-accounts": /\/api\/(agency|session\/visit$)/,
}

/** Of several rows that fit, the last says it: it is the narrower one. `DELETE /api/session/visit` is for who visits. */
const rowOf = (name: string) =>
  name === 'DELETE /api/session/visit'
    ? 'Read and answer conversations'
    : Object.keys(rows).findLast((row) => rows[row]?.test(name))

/** What a guard allows: a member, a member who manages, an owner of the right kind of account, an agency that visits. */
function allowed({ guard, notVisiting }: AppRoute): string[] {
  const visits = !notVisiting && guard !== 'agency'
  return [guard === 'member', guard === 'member' || guard === 'manager', true, visits].map((may) =>
    may ? 'yes' : 'no',
  )
}

test('docs/security.md says of every route of the app who may call it, as its guard does', async () => {
  const [, table = ''] = (await read()).split('## Who may do what in the app')
  const lines =
    table
      .split('\n## ')[0]
      ?.split('\n')
      .filter((line) => /^\| [A-Z]/.test(line)) ?? []
  const told = lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
  assert.deepEqual(
    told.map(([says = '']) => Object.keys(rows).find((row) => says.startsWith(row)) ?? says),
    Object.keys(rows),
    'the rows of the table and those of this test',
  )
  for (const [name, route] of Object.entries(appRoutes) as [string, AppRoute][]) {
    if (route.guard === 'anyone') continue
    const row = rowOf(name)
    assert.ok(row, `no row of docs/security.md speaks of ${name}`)
    const [, ...cells] = told.find(([says]) => says?.startsWith(row)) ?? []
    assert.deepEqual(cells, allowed(route), `${name}, under "${row}"`)
  }
})

/** The words of the sections that promise something, without headings, marks and addresses of links. */
async function readPromising(): Promise<string> {
  const sections = (await read()).split(/^## /m).slice(1)
  const text = sections
    .filter((section) => !section.startsWith('Who may do what'))
    .map((section) => section.slice(section.indexOf('\n')).replaceAll(/^\|[-|]+\|$/gm, ''))
    .join('\n')
  return text
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/[[\]`]|\*\*/g, '')
    .replaceAll(/\s+/g, ' ')
}

/** What is said beside the promises: who somebody is, what they can do anyway, advice and reasons. */
const besides = [
  '| Who | Can | Cannot, by design |',
  '| a stranger on the network | open connections, send anything |',
  '| a contact who writes | put any text and any file into a conversation |',
  '| an account holder with an API key | everything in their account |',
  '| a member of a team |',
  '| an agency |',
  '| a receiver of replies | refuse, be slow, answer anything |',
  '| a provider of a built-in channel, or who poses as one | say what people wrote, refuse, be slow, answer anything |',
  '| a visitor of a website chat, or a program that poses as one | write, ask, send files |',
  '| a script on the page of a shop with a chat, of whomever | read and write there what the visitor can |',
  '| a provider of a language model | answer anything |',
  '| somebody with a copy of the database | read messages and contacts |',
  'it is there for who lost the password and has nobody else to ask. It cannot do so unseen.',
  "Trusted are: whoever has a shell on the machine, the database server, and the operator's own settings.",
  '| | How | | traffic to us |',
  '| webhook secrets, keys of model providers, credentials of built-in channels, secrets by which shops sign their customers |',
  '| API keys, session cookies, invitation and password links |',
  '| passwords |',
  '| identity of erased contacts who had opted out |',
  "| messages, contacts, files | not by Patchbay: use an encrypted disk, or your database's encryption; backups are not encrypted either |",
  '| traffic to a database in DATABASE_URL |',
  'add sslmode=verify-full when it is not on the same machine',
  '- Outgoing requests (webhooks, files, model providers)',
  '- Built-in channels:',
  '- Website chat:',
  'a program can write any origin, so nothing else depends on it.',
  'There is no cookie, and no frame (decision 79).',
  "- A visitor against scripts on the shop's own page: they run as the page does, and may draw a chat of their own.",
  '- The browser',
  '- Links',
  '- Guessing passwords',
  'so that time tells nothing about them.',
  '- Strangers and neighbours:',
  '(operations.md, Limits).',
  '- The log',
  '- The audit',
  '1. Keep SECRET_KEY (or DATA_DIR/secret.key) apart from backups of the database. Together they open everything that is sealed.',
  '2. Use a certificate that clients trust (TLS_CERT_FILE, TLS_KEY_FILE), or end TLS at a proxy of yours and name only that proxy in TRUST_PROXY:',
  '3. Encrypt disks and backups where messages need it, and say how long things are kept (operations.md, "How long things are kept").',
  '4. Do not expose /metrics',
  ', PostgreSQL, or DATA_DIR.',
  '5. Leave OUTBOUND_ALLOWED_NETWORKS as narrow as you can: every account holder can make us call what is in it.',
  '6. Update. The embedded PostgreSQL comes with npm ci; its security fixes arrive with new versions of this service. If that is too slow for you, run a PostgreSQL of your own.',
  '7. ',
  "; change the owner's password in the app.",
  '8. Rotate what may have leaked:',
  'the sealed secrets would have to be entered anew.',
  '9. Name in CHANNEL_ORIGINS only what you trust as you trust the provider: it gets every message and every token.',
  '- What went over a built-in channel lies at its provider, too: erasing a contact and removing a channel delete nothing there.',
  '- Timing of the whole machine, and other programs on it.',
  '- An operator who changes the database by hand:',
  ', the audit does not.',
  "- What an alert address was sent is in somebody else's chat tool.",
  '- A recipient of replies who keeps webhook-ids for too short a time may act twice on a message that is sent again.',
]

test('every promise of docs/security.md is proven by a test that is there, and nothing else is said but what explains them', async () => {
  const all = { ...promises, ...measures }
  let left = await readPromising()
  const phrases = [...Object.keys(all), ...besides].sort((a, b) => b.length - a.length)
  for (const phrase of phrases) {
    assert.ok(left.includes(phrase), `docs/security.md no longer says: ${phrase}`)
    left = left.replace(phrase, '\n')
  }
  const unproven = left
    .split('\n')
    .map((text) => text.trim())
    .filter((text) => /\w/.test(text))
  assert.deepEqual(unproven, [], 'a promise without a test: write one, and name it in security-promises.ts')
  for (const [phrase, tests] of Object.entries(all)) {
    assert.ok(tests.length > 0, phrase)
    for (const named of tests) await assertThere(named)
  }
})

async function assertThere(named: string): Promise<void> {
  const [, room = '', name = ''] = /^([\w/-]+): (.*)$/.exec(named) ?? []
  const file = room.startsWith('web/') ? `web/test/${room.slice(4)}` : `server/test/${room}`
  const source = await readFile(resolve(import.meta.dirname, `../../../../${file}.test.ts`), 'utf8')
  const names = source.replaceAll(/\$\{[^}]*\}/g, '…')
  const begins = ["'", '"', '`'].some((quote) => names.includes(`test(${quote}${name}`))
  assert.ok(begins, `${file}.test.ts has no test whose name begins: ${name}`)
}
