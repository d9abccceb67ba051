import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { type Engine, EngineBusy, EngineError, type TurnInput } from '../../../src/answers/engines/common/engine.ts'
import { openCircuitBreakers } from '../../../src/answers/engines/models/circuit-breaker.ts'
import { type Fault, fail, faults, json, startModelServer } from '../../helpers/model-server.ts'
import { apiKey, never, openWorld, settingsWith, turnOf } from '../../helpers/model-world.ts'
import { startReceiver } from '../../helpers/receivers.ts'

const canary = 'canary-of-the-contact'
const instructions = 'Be kind. canary-of-the-instructions'
const turn = turnGiven(20)

function turnGiven(replyTimeoutSeconds: number): TurnInput {
  return turnOf(`How do I return it? ${canary}`, { settings: settingsWith({ instructions, replyTimeoutSeconds }) })
}

const soon = { 'retry-after-ms': '10' }

/** `given`: the timeout in seconds, where it is to be reached. */
type Case = { fault: Fault | string; requests: number; isFinal: boolean; says: RegExp; given?: number }

const cases: Record<string, Case> = {
  'never answers': { fault: faults.silence, requests: 1, isFinal: false, says: /within 1 seconds/, given: 1 },
  'sends its answer byte by byte': {
    fault: faults.drip,
    requests: 1,
    isFinal: false,
    says: /within 1 seconds/,
    given: 1,
  },
  'has an error': { fault: fail(500, soon), requests: 2, isFinal: false, says: /error of its own \(500, some_error\)/ },
  'has an error and asks for no pause': {
    fault: fail(503),
    requests: 1,
    isFinal: false,
    says: /within 1 seconds/,
    given: 1,
  },
  'is asked too often': { fault: fail(429, soon), requests: 2, isFinal: false, says: /too often.*\(429/ },
  'is asked too often and wants a long pause': {
    fault: fail(429, { 'retry-after': '30' }),
    requests: 1,
    isFinal: false,
    says: /long pause \(429\)/,
  },
  'wants a pause until a day': {
    fault: fail(503, { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }),
    requests: 1,
    isFinal: false,
    says: /long pause \(503\)/,
  },
  'resets in the middle of its answer': {
    fault: faults.resetInBody,
    requests: 1,
    isFinal: false,
    says: /within 1 seconds/,
    given: 1,
  },
  'says nothing': { fault: '', requests: 1, isFinal: false, says: /empty/ },
  'says nothing in JSON': { fault: json('  '), requests: 1, isFinal: false, says: /empty/ },
  'says half of its JSON': {
    fault: '{"action": "answer", "reply": "Send',
    requests: 1,
    isFinal: false,
    says: /cannot be read/,
  },
  'sends ten megabytes': { fault: faults.huge, requests: 1, isFinal: false, says: /too large/ },
  'sends broken JSON': { fault: faults.brokenJson, requests: 1, isFinal: false, says: /not valid JSON/ },
  'sends a page': { fault: faults.html, requests: 1, isFinal: false, says: /not valid JSON/ },
  'sends no choice': { fault: faults.noChoices, requests: 1, isFinal: false, says: /no content/ },
  'has no content': { fault: fail(204), requests: 1, isFinal: false, says: /not valid JSON/ },
  'answers with a status that is none': { fault: fail(600, soon), requests: 2, isFinal: false, says: /\(502/ },
  'does not accept the key': { fault: fail(401), requests: 1, isFinal: true, says: /does not accept the key \(401/ },
  'forbids the model': { fault: fail(403), requests: 1, isFinal: true, says: /does not let this key use the model/ },
  'does not know the model': {
    fault: fail(404, {}, { message: 'x', code: 'model_not_found' }),
    requests: 1,
    isFinal: true,
    says: /does not know the model.*\(404, model_not_found\)/,
  },
  'refuses the request': { fault: fail(400), requests: 2, isFinal: true, says: /refuses the request \(400/ },
}

for (const [name, { fault, requests, isFinal, says, given = 20 }] of Object.entries(cases)) {
  test(`a model server that ${name}: few requests, a bounded time, and an error message without a secret`, async () => {
    await using server = await startModelServer(() => fault)
    await using world = openWorld()
    const began = performance.now()
    const error = await failure(world.engine(server.url), turnGiven(given))
    assert.ok(performance.now() - began < 10_000, `${performance.now() - began} ms`)
    assert.ok(error instanceof EngineError, inspect(error))
    assert.deepEqual([server.asked.length, error.isFinal], [requests, isFinal])
    assert.match(error.message, says)
    assertNoSecret(error, world.lines)
  })
}

async function failure(engine: Engine, asked = turn): Promise<unknown> {
  return engine.generate(asked, never).then(
    (answer) => assert.fail(`answered ${answer.text}`),
    (error) => error,
  )
}

/** Neither the key nor the prompt is in the error or in the log. */
function assertNoSecret(error: unknown, lines: string[]): void {
  for (const text of [inspect(error, { depth: 12, showHidden: true }), ...lines]) {
    assert.doesNotMatch(text, /canary|Be kind|30 days/)
    assert.ok(!text.includes(apiKey))
  }
}

test('key and prompt that a provider quotes in its errors appear in no error message and in no log', async () => {
  const quotes = { message: `Incorrect API key provided: ${apiKey}`, type: apiKey, code: canary }
  for (const kind of ['openai-compatible', 'openai', 'anthropic'] as const) {
    for (const status of [400, 401, 429, 500]) {
      await using server = await startModelServer(() => fail(status, soon, { ...quotes, type: 'error' }))
      await using world = openWorld()
      const error = await failure(world.engine(server.url, { kind }))
      assert.ok(error instanceof EngineError, inspect(error))
      assertNoSecret(error, world.lines)
    }
  }
  await using world = openWorld()
  const odd = world.engine('http://127.0.0.1:1/', { apiKey: `${apiKey}\n` })
  const error = await failure(odd)
  assert.ok(error instanceof EngineError && error.isFinal)
  assertNoSecret(error, world.lines)
})

test('a redirect is not followed, wherever it leads', async () => {
  await using other = await startReceiver()
  for (const status of [301, 302, 307, 308]) {
    await using server = await startModelServer(() => fail(status, { location: `${other.url}v1/chat/completions` }))
    await using world = openWorld()
    await assert.rejects(world.engine(server.url).generate(turn, never), { name: 'EngineError', isFinal: true })
    assert.equal(server.asked.length, 1)
  }
  assert.equal(other.connections(), 0)
})

test('a reset and a refused connection are retried once, and the error is not final', async () => {
  let resets = 0
  await using server = await startModelServer(() => (resets++ === 0 ? faults.resetInBody : json('Within 30 days.')))
  await using world = openWorld()
  assert.equal((await world.engine(server.url).generate(turn, never)).text, 'Within 30 days.')
  assert.equal(server.asked.length, 2)
  const nobody = world.engine('http://127.0.0.1:1/').generate(turn, never)
  await assert.rejects(nobody, { isFinal: false, message: /cannot be asked. The host refused/ })
})

test('five failures in a row open the circuit breaker of a provider for a minute; the turn stays owed', async () => {
  let clock = 0
  let isDown = true
  const breakers = openCircuitBreakers({ now: () => clock })
  await using server = await startModelServer(() => (isDown ? fail(500, soon) : json('Within 30 days.')))
  await using world = openWorld({ breakers })
  const ask = () => world.engine(server.url).generate(turn, never)
  for (let count = 0; count < 5; count += 1) await assert.rejects(ask(), EngineError)
  assert.equal(server.asked.length, 10)
  await assert.rejects(ask(), (error) => error instanceof EngineBusy && error.retryAfterSeconds === 60)
  assert.equal(server.asked.length, 10)
  clock = 60_000
  isDown = false
  assert.equal((await ask()).text, 'Within 30 days.')
})

test('an output of any length is cut to 1,500 characters, at the end of a sentence', async () => {
  const long = 'This is a sentence of the model. '.repeat(2000)
  await using server = await startModelServer(() => json(long))
  await using world = openWorld()
  const { text } = await world.engine(server.url).generate(turn, never)
  assert.ok(text && text.length <= 1500 && text.length > 1400)
  assert.ok(text.endsWith('model.'))
})
