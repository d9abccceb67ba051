import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { EngineBusy, EngineError } from '../../../src/answers/engines/common/engine.ts'
import { openCircuitBreakers } from '../../../src/answers/engines/models/circuit-breaker.ts'
import { type Asked, fail, json, startModelServer } from '../../helpers/model-server.ts'
import { apiKey, entries, never, openWorld, settingsWith, turnOf } from '../../helpers/model-world.ts'
import { recordDials } from '../../helpers/receivers.ts'

const question = turnOf('How do I send it back?')
const reply = 'Send it back within 30 days: https://shop.example/returns'

const providers = [
  { kind: 'openai-compatible', model: 'tiny', path: '/v1/chat/completions' },
  { kind: 'openai', model: 'gpt-4.1-mini', path: '/v1/responses' },
  { kind: 'openai', model: 'gpt-5-mini', path: '/v1/responses' },
  { kind: 'anthropic', model: 'claude-sonnet-4-5', path: '/v1/messages' },
  { kind: 'anthropic', model: 'someone-elses', path: '/v1/messages' },
] as const

for (const { kind, model, path } of providers) {
  test(`${kind} (${model}) answers from the entries that it was given, and names them`, async () => {
    await using server = await startModelServer(() => json(reply, ['k1', 'k9']))
    await using world = openWorld()
    const answer = await world.engine(server.url, { kind, model }).generate(question, never)
    const [asked] = server.asked
    assert.deepEqual(
      { ...answer, usage: undefined },
      {
        kind: 'answer',
        text: reply,
        reason: 'the model answers',
        sources: [{ entryId: 'ent_returns', score: 0.81 }],
        offered: [],
        choices: [],
        engine: kind,
        model,
        usage: undefined,
      },
    )
    assert.ok((answer.usage?.inputTokens ?? 0) > 100 && (answer.usage?.outputTokens ?? 0) > 5)
    assert.deepEqual([server.asked.length, asked?.request.path, asked?.key, asked?.model], [1, path, apiKey, model])
    assert.equal(asked?.maxTokens, 400)
    assert.ok(asked?.hasSchema)
    assert.match(asked?.messages.at(-1)?.text ?? '', /<reference>\n\[k1\] Question: How do I return something\?/)
    assert.doesNotMatch(asked?.request.body.toString() ?? '', /ent_|acc_|cmp_/)
    assert.doesNotMatch(asked?.system ?? '', /30 days/)
  })
}

test('OpenAI is asked to store nothing, and to reason as little as possible', async () => {
  await using server = await startModelServer(() => json(reply))
  await using world = openWorld()
  await world.engine(server.url, { kind: 'openai', model: 'gpt-5-mini' }).generate(question, never)
  await world.engine(server.url, { kind: 'openai', model: 'gpt-4.1-mini' }).generate(question, never)
  const bodies = server.asked.map(({ request }) => JSON.parse(request.body.toString()))
  assert.deepEqual(
    bodies.map(({ store, reasoning, temperature }) => [store, reasoning, temperature]),
    [
      [false, { effort: 'minimal' }, undefined],
      [false, undefined, 0.2],
    ],
  )
})

test('a provider without a key of its own gets none, not even from the environment', async () => {
  await using server = await startModelServer(() => json(reply))
  await using world = openWorld()
  for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY']) process.env[name] = 'operators-canary'
  for (const name of ['OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL']) process.env[name] = 'http://127.0.0.1:1/'
  try {
    for (const kind of ['openai', 'anthropic', 'openai-compatible'] as const) {
      await world.engine(server.url, { kind, apiKey: null }).generate(question, never)
      const vendor = world.engine(server.url, { kind, url: null, apiKey: null })
      await assert.rejects(vendor.generate(question, never), { name: 'EngineError', isFinal: true })
    }
    assert.equal(server.asked.length, 3)
    for (const { request } of server.asked) assert.doesNotMatch(JSON.stringify(request.headers), /canary/)
  } finally {
    for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL']) {
      delete process.env[name]
    }
  }
})

test('a server that refuses a schema is asked without one, then and from then on', async () => {
  const noSchema = fail(400, {}, { message: 'This response_format type is unavailable now' })
  await using server = await startModelServer(({ hasSchema }) => (hasSchema ? noSchema : json(reply)))
  await using world = openWorld()
  for (const kind of ['openai-compatible', 'openai', 'anthropic'] as const) {
    server.asked.length = 0
    const engine = world.engine(server.url, { kind })
    for (let count = 0; count < 2; count += 1) assert.equal((await engine.generate(question, never)).text, reply)
    assert.deepEqual(
      server.asked.map(({ hasSchema }) => hasSchema),
      [true, false, false],
    )
  }
})

test('text around the JSON is ignored; plain text is an answer without entries', async () => {
  const outputs = [
    `\`\`\`json\n${json(reply)}\n\`\`\``,
    `Here it is: ${json(reply)}`,
    `<think>The customer {wants} this.</think>\n${json(reply)}`,
    JSON.stringify({ action: 'answer', reply, entries: ['[K1]'], mood: 'good' }),
  ]
  await using server = await startModelServer(() => outputs[0] ?? '')
  await using world = openWorld()
  for (; outputs.length > 0; outputs.shift()) {
    assert.equal((await world.engine(server.url).generate(question, never)).text, reply, `${outputs[0]}`)
  }
  outputs.push('You have 30 days.')
  const strict = await world.engine(server.url).generate(question, never)
  assert.deepEqual([strict.kind, strict.text], ['fallback', 'A colleague will look into it.'])
  const loose = await world
    .engine(server.url)
    .generate({ ...question, settings: settingsWith({ strict: false }) }, never)
  assert.deepEqual([loose.kind, loose.text, loose.sources], ['answer', 'You have 30 days.', []])
})

test('an output that was cut off is requested once more, shorter; cut off again, it becomes the fallback', async () => {
  const finishes: ('length' | 'stop')[] = ['length', 'stop', 'length', 'length']
  await using server = await startModelServer(() => ({ text: json(reply), finish: finishes.shift() ?? 'stop' }))
  await using world = openWorld()
  const first = await world.engine(server.url).generate(question, never)
  assert.equal(first.text, reply)
  assert.ok(!server.asked[0]?.system.includes('too long') && server.asked[1]?.system.includes('too long'))
  const second = await world.engine(server.url).generate(question, never)
  assert.deepEqual([second.kind, server.asked.length], ['fallback', 4])
})

test('a refusal of the model and a content filter of the provider lead to the fallback', async () => {
  for (const { kind } of providers) {
    for (const finish of ['refusal', 'filter'] as const) {
      await using server = await startModelServer(() => ({ text: 'I cannot help with that.', finish }))
      await using world = openWorld()
      const { kind: is, text } = await world.engine(server.url, { kind }).generate(question, never)
      assert.deepEqual([is, text], ['fallback', 'A colleague will look into it.'])
    }
  }
})

test('an address that is not allowed is a final error, before any connection is opened', async () => {
  await using server = await startModelServer(() => json(reply))
  await using world = openWorld({ allowed: '10.1.2.3/32' })
  using watch = recordDials()
  for (const url of [
    server.url,
    'http://10.1.2.4/',
    'http://169.254.169.254/latest/',
    'https://[::1]/',
    'ftp://x.test/',
  ]) {
    await assert.rejects(world.engine(url).generate(question, never), (error) => {
      assert.ok(error instanceof EngineError && error.isFinal, String(error))
      assert.match(error.message, /^The provider cannot be asked\. The /)
      return true
    })
  }
  const none = world.engine('', { url: 'my model' }).generate(question, never)
  await assert.rejects(none, { isFinal: true, message: 'The address of the provider is not valid.' })
  assert.deepEqual([watch.dials, server.connections()], [[], 0])
})

test('an aborted signal rejects with its own reason', async () => {
  await using server = await startModelServer(() => () => {})
  await using world = openWorld()
  const stop = new AbortController()
  const turn = world.engine(server.url).generate(question, stop.signal)
  while (server.asked.length < 1) await setTimeout(5)
  const reason = { because: 'a person took over' }
  stop.abort(reason)
  await assert.rejects(turn, (error) => error === reason)
  await server.untilClosed()
})

test('a server that counts far fewer tokens than were sent causes one warning for each campaign', async () => {
  await using server = await startModelServer(() => ({ text: json(reply), usage: [150, 20] }))
  await using world = openWorld()
  const other = { ...question, campaign: { ...question.campaign, campaignId: 'cmp_2' as const } }
  for (const turn of [question, question, other]) await world.engine(server.url).generate(turn, never)
  const warnings = world.lines.filter((line) => line.includes('cut the prompt'))
  assert.deepEqual(
    warnings.map((line) => JSON.parse(line).campaignId),
    ['cmp_1', 'cmp_2'],
  )
})

test('a call that finds no slot fails with EngineBusy, so it counts as no attempt', async () => {
  await using world = openWorld({ breakers: openCircuitBreakers({ mostAtOnce: 0 }) })
  const waiting = world
    .engine('http://127.0.0.1:1/')
    .generate({ ...question, settings: settingsWith({ replyTimeoutSeconds: 1 }) }, never)
  await assert.rejects(waiting, (error) => error instanceof EngineBusy && error.retryAfterSeconds === 1)
})

test('a server that reports no token counts still gives an answer', async () => {
  await using server = await startModelServer(() => ({ text: json(reply), usage: null }))
  await using world = openWorld()
  const { usage, text } = await world.engine(server.url).generate(question, never)
  assert.deepEqual([text, usage], [reply, { inputTokens: null, outputTokens: null }])
})

test('the history becomes alternating turns, with a colleague and a reaction marked', async () => {
  await using server = await startModelServer(() => json(reply))
  await using world = openWorld()
  const history = [
    { by: 'bot', kind: 'text', text: 'Do you want to renew?' },
    { by: 'contact', kind: 'text', text: 'Yes' },
    { by: 'person', kind: 'text', text: 'I did that.' },
    { by: 'contact', kind: 'reaction', text: '👍' },
  ] as const
  await world.engine(server.url).generate({ ...question, history: [...history] }, never)
  const sent = server.asked[0]?.messages.map(({ role, text }: Asked['messages'][number]) => [role, text.split('\n')[0]])
  assert.deepEqual(sent, [
    ['user', '(The business wrote first.)'],
    ['assistant', 'Do you want to renew?'],
    ['user', 'Yes'],
    ['assistant', '(A colleague wrote:) I did that.'],
    ['user', '(Note: reaction 👍)'],
  ])
})

test('an entry that hands over sends its answer and calls a person', async () => {
  await using server = await startModelServer(() => json('We sell no boats.'))
  await using world = openWorld({ known: entries.map((entry) => ({ ...entry, handsOver: true })) })
  const { kind, text } = await world.engine(server.url).generate(question, never)
  assert.deepEqual([kind, text], ['handover', 'We sell no boats.'])
})
