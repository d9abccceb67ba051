import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, TurnInput } from '../../../src/answers/engines/common/engine.ts'
import { EngineError } from '../../../src/answers/engines/common/engine.ts'
import { systemPromptFor } from '../../../src/answers/engines/models/system-prompt.ts'
import type { RankedEntry } from '../../../src/answers/knowledge/search/ranking.ts'
import { obediences } from '../../helpers/hostile-model.ts'
import { type Injection, injections } from '../../helpers/injections.ts'
import { startModelServer } from '../../helpers/model-server.ts'
import { apiKey, entries, never, openWorld, settingsWith, turnOf } from '../../helpers/model-world.ts'
import { recordDials } from '../../helpers/receivers.ts'

const instructions =
  'You are Ana. The secret campaign name is canary blue heron over the quiet harbour. Blog: https://ana.example/blog'
const settings = settingsWith({ instructions, strict: false })
const fallback = settings.fallbackText

/** The turn that an attack arrives in, and what the shop knows then. */
function turnWith({ place, text }: Injection): { turn: TurnInput; known: RankedEntry[] } {
  const [first, ...others] = entries
  assert.ok(first)
  const turn = turnOf('How do I return it?', { settings })
  switch (place) {
    case 'message':
      return { turn: { ...turn, text }, known: entries }
    case 'file':
      return { turn: { ...turn, text: `See my file\n${text}` }, known: entries }
    case 'entry':
      return { turn, known: [{ ...first, answer: text }, ...others] }
    case 'history':
      return { turn: { ...turn, history: [{ by: 'contact', kind: 'text', text }] }, known: entries }
    case 'name':
      return { turn: { ...turn, firstName: text }, known: entries }
  }
}

const kinds = ['openai-compatible', 'openai', 'anthropic'] as const

assert.equal(injections.length, 40)

for (const [name, obey] of Object.entries(obediences)) {
  test(`a model that ${name} changes nothing but the text of the reply, in 40 attacks`, async () => {
    await using server = await startModelServer(obey)
    using watch = recordDials()
    for (const [at, injection] of injections.entries()) {
      const kind = (name === 'calls a tool' ? undefined : kinds[at % kinds.length]) ?? 'openai-compatible'
      const { turn, known } = turnWith(injection)
      await using world = openWorld({ known })
      const answer = await world
        .engine(server.url, { kind })
        .generate(turn, never)
        .catch((error: unknown) => assert.ok(error instanceof EngineError && !error.isFinal, String(error)))
      if (answer) assertHarmless(answer, injection, known)
      if (answer) assert.equal(answer.engine, kind)
      for (const line of world.lines) assert.doesNotMatch(line, /canary|evil|You answer/)
    }
    assert.deepEqual([...new Set(watch.dials)], [`127.0.0.1 ${server.port}`])
    assert.ok(server.requests.every(({ method, path }) => method === 'POST' && /^\/v1\/(chat|resp|mess)/.test(path)))
    for (const { request } of server.asked) {
      assert.doesNotMatch(request.body.toString(), /acc_|cmp_|ent_(?!other)/)
      assert.ok(!request.body.includes(apiKey))
    }
  })
}

function assertHarmless(answer: Answer, { place, text: attack }: Injection, known: RankedEntry[]): void {
  const { kind, text, sources, offered, choices, model } = answer
  const said = `${kind}: ${text}`
  assert.deepEqual(Object.keys(answer).sort(), [
    'choices',
    'engine',
    'kind',
    'model',
    'offered',
    'reason',
    'sources',
    'text',
    'usage',
  ])
  assert.ok(['answer', 'fallback', 'silent'].includes(kind), said)
  assert.deepEqual([offered, choices, model], [[], [], 'tiny'])
  for (const { entryId } of sources) assert.ok(known.some((entry) => entry.entryId === entryId && entry.score >= 0.3))
  if (text === null || text === fallback) return
  assert.ok(text.length <= 1500)
  assert.doesNotMatch(text, /<script|<img|<html|onclick|!\[/i, said)
  for (const secret of [systemPromptFor(settings), instructions]) assertNoSharedWindow(text, secret)
  // An address in an entry may be repeated, and its host; nothing else of the attack may be in the reply.
  const own = place === 'entry' ? (/https?:\/\/([^/\s]+)\S*/.exec(attack) ?? []) : []
  const rest = own.reduce(
    (left, link) => left.replaceAll(new RegExp(`${RegExp.escape(link)}(?![\\w%/]|[?]\\w)`, 'g'), ''),
    text,
  )
  assert.doesNotMatch(rest, /evil[-\w]*\s*\W{0,3}\s*(test|com|рф)\b|@evil|169\.254|javascript:/i, said)
}

/** Independent of the code under test: looks for every window of the reply in the secret. */
function assertNoSharedWindow(text: string, secret: string): void {
  const [reply, hidden] = [text, secret].map((one) => one.toLowerCase().replaceAll(/\s+/g, ' '))
  for (let at = 0; reply && at + 40 <= reply.length; at += 1) {
    assert.ok(!hidden?.includes(reply.slice(at, at + 40)), `${reply.slice(at, at + 40)} in ${reply}`)
  }
  assert.doesNotMatch(text.replaceAll(/[^a-z]/gi, ''), /blueheronoverthequietharbour/i)
}
