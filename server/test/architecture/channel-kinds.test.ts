import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { type ChannelKind, channelKinds } from '@patchbay/contract/channels.ts'
import { importsOf, readSources, type Source } from '../helpers/sources.ts'

const root = resolve(import.meta.dirname, '../../..')
const kinds = 'server/src/journey/channels/kinds/'

/** What a kind may use besides its own folder: types of answers, refusals, a parser, and what all kinds share. */
const shared = [
  'server/src/platform/request-body/parse-json.ts',
  'server/src/platform/outbound/call.ts',
  'server/src/platform/refusal.ts',
  `${kinds}kind.ts`,
  `${kinds}common/`,
  'contract/app/channels.ts',
  'contract/channels.ts',
  'contract/chat/',
  'contract/segments.ts',
]

/** What is not the same each time it is asked, or reaches out of the process. */
const impure =
  /\b(Date\.now|new Date\(\)|performance\.|Math\.random|randomBytes|randomUUID|setTimeout|setInterval|process\.|fetch\(|await |async (?!src=))/

function offences({ file, text }: Source): string[] {
  const own = file.slice(kinds.length).split('/').slice(0, -1).join('/')
  const strange = importsOf(file, text).filter(
    (imported) =>
      !shared.some((begin) => imported.startsWith(begin)) && !(own && imported.startsWith(`${kinds}${own}/`)),
  )
  const packages = [...text.matchAll(/from '(?!\.)([^']+)'/g)].map(([, name = '']) => name)
  const others = packages.filter((name) => name !== 'node:crypto' && !name.startsWith('@patchbay/contract/'))
  return [...strange, ...others, ...(impure.exec(text)?.slice(0, 1) ?? [])].map((what) => `${file}: ${what}`)
}

test('what is known of a provider is pure: it asks no clock, no database and no network, and no other kind', async () => {
  const sources = (await readSources()).filter(({ file }) => file.startsWith(kinds))
  assert.ok(sources.length > 10)
  assert.deepEqual(sources.flatMap(offences), [])
})

test('the check finds a kind that asks a clock, the network, another kind or a store', () => {
  const file = `${kinds}telegram/read.ts`
  for (const text of [
    'const at = Date.now()',
    "import { request } from 'node:https'",
    "import { x } from '../whatsapp/read.ts'",
    "import { x } from '../../store.ts'",
    'export async function read() {}',
  ]) {
    assert.equal(offences({ file, text }).length, 1, text)
  }
})

/** Where the names of all kinds may stand: the line that loads it, its name, its mark, what owners are told of it, and examples for people. */
const homesOfAll = [
  'contract/app/channels.ts',
  'contract/channels.ts',
  'server/commands/declarations.ts',
  'server/src/journey/channels/load-kind.ts',
  'web/src/channels/connect/kind-words.ts',
  'web/src/ui/channel.tsx',
]

/** Where else that of one may stand, besides its folder. A folder ends with a slash. */
const homes: Record<ChannelKind, string[]> = {
  telegram: ['server/src/platform/config/channel-origins.ts', 'server/src/platform/config/config.ts'],
  sms: [],
  // It has no provider, so what a provider does is here: what visitors and the panel meet, and what its owner sets.
  webchat: ['contract/chat/', 'server/src/app/website-chat/', 'web/chat/', 'web/src/settings/website-chat/'],
}

const files = globSync(['server/{src,commands,process}/**/*.ts', 'contract/**/*.ts', 'web/{src,chat}/**/*.{ts,tsx}'], {
  cwd: root,
})

/** How each is named. What people are told of text messages is no knowledge of Twilio. */
const names: Record<ChannelKind, RegExp> = {
  telegram: /telegram/i,
  sms: /twilio|Twilio|'sms'|\bsms: /,
  webchat: /webchat/i,
}

for (const kind of channelKinds) {
  test(`${kind} is its folder, one line that loads it, its name, its mark and its words: nothing else knows it`, () => {
    const named = files.filter((file) => names[kind].test(readFileSync(resolve(root, file), 'utf8')))
    const own = [`${kinds}${kind}/`, ...homes[kind]]
    const isHome = (file: string) => own.some((home) => (home.endsWith('/') ? file.startsWith(home) : file === home))
    assert.deepEqual(named.filter((file) => !isHome(file)).sort(), homesOfAll)
    const isUsed = (home: string) => home.endsWith('/') || named.includes(home)
    assert.deepEqual(
      homes[kind].filter((home) => !isUsed(home)),
      [],
    )
  })
}
