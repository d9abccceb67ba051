// Runs alone: takes long, it loads the model in several processes

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { countWithoutVector } from '../../src/answers/knowledge/entries/missing-store.ts'
import {
  contactOf,
  conversation,
  defaultCampaign,
  outcomes,
  startModel,
  untilAnswered,
  write,
} from '../helpers/bots.ts'
import { assertRefusedCommand, readDocument, startBeside } from '../helpers/commands.ts'
import { allSent, untilMessages } from '../helpers/deliveries.ts'
import { startReceiver } from '../helpers/receivers.ts'
import { runCli } from '../helpers/server-process.ts'

const topics = [
  ['When are you open?', 'We are open from 9 to 6, Monday to Saturday.'],
  ['How can I return something?', 'Send it back within 30 days with the slip from the parcel.'],
  ['Do you ship abroad?', 'We ship to all of Europe for 12 euros.'],
  ['Where is my order?', 'The link in your confirmation shows where it is.'],
  ['Which payment methods do you take?', 'Cards, PayPal and bank transfer.'],
  ['How do I change my password?', 'Open Settings, then Security.'],
  ['Do you have gift cards?', 'Yes, from 10 to 200 euros.'],
  ['Is there a student discount?', 'Students get ten percent off.'],
  ['How long is the warranty?', 'Two years on everything.'],
  ['Can I cancel my subscription?', 'Yes, at the end of each month.'],
  ['Do you repair bicycles?', 'Yes, bring it to our workshop.'],
  ['Are dogs allowed in the shop?', 'Yes, on a leash.'],
  ['Where can I park?', 'Behind the house, for two hours.'],
  ['Do you buy used books?', 'On Wednesdays, from 2 to 5.'],
  ['How do I get an invoice?', 'It comes with the parcel, and by e-mail.'],
  ['Do you have vegan shoes?', 'A whole shelf of them.'],
  ['Can you engrave a ring?', 'Within a week, for 30 euros.'],
  ['How do I clean wool?', 'By hand, at 30 degrees.'],
  ['Who founded the company?', 'Two sisters, in 1987.'],
  ['Do you hire?', 'Write to us with your papers.'],
]

async function makeFiles(files: Record<string, unknown>) {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-files-'))
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return { path: (name: string) => join(folder, name), [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

/** Of the two tests whose contacts and campaigns do not meet. */
const beside = await startBeside()
after(() => beside[Symbol.asyncDispose]())

test('with commands only: import knowledge; a rephrased question is answered at the webhook, an unrelated one is not', async () => {
  await using files = await makeFiles({
    'knowledge.json': topics.map(([question, answer]) => ({ questions: [question], answer })),
    'more.csv': 'answer,question,question\r\n"Yes, ""all"" of it.",Is it organic?,Organic cotton?\r\n',
  })
  await using receiver = await startReceiver()
  await using own = await startBeside()
  const { app, environment, commands, run } = own
  const shop = await app.makeAccount()
  readDocument(await run(shop, 'webhook', 'set', '--url', receiver.url))
  const { campaigns } = readDocument(await run(shop, 'campaign', 'show'))
  const id = campaigns[0].campaignId
  const importing = (name: string) =>
    commands.run('knowledge', 'import', '--campaign', id, '--file', files.path(name), '--json')
  const first = await runCli(
    { ...environment, NODE_OPTIONS: `--import=${resolve(import.meta.dirname, '../helpers/refuse-threads.ts')}` },
    ...['knowledge', 'import', '--campaign', id, '--file', files.path('knowledge.json'), '--json'],
  )
  assert.deepEqual(readDocument(first), { campaignId: id, added: 20, replaced: 0 }, 'the server loads the model')
  assert.equal(await countWithoutVector(app.db, { accountId: shop.accountId, campaignId: id }), 0)
  assert.deepEqual(readDocument(await importing('more.csv')), { campaignId: id, added: 1, replaced: 0 })
  assert.deepEqual(readDocument(await importing('knowledge.json')), { campaignId: id, added: 0, replaced: 20 })

  const asked = readDocument(await commands.run('bot', 'ask', '--campaign', id, 'can I come in with my dog?', '--json'))
  assert.deepEqual([asked.decision, asked.text, asked.engine], ['answer', 'Yes, on a leash.', 'builtin'])
  assert.ok(asked.scores[0].score >= 0.5 && asked.scores[0].score > asked.scores[1].score)
  assert.deepEqual(await outcomes(app), [], 'asking keeps nothing')

  await write(shop, 'until what time is the store open on saturdays')
  await write(shop, 'how tall is mount everest', { fromId: 'ben' })
  await untilAnswered(app)
  await untilMessages(app, shop, (all) => all.length === 4 && allSent(all.filter(({ author }) => author === 'bot')))
  const said = receiver.requests.map(({ body }) => JSON.parse(String(body)).body).sort()
  assert.deepEqual(said, [
    'I do not have an answer to that yet. Could you put it another way? To talk to a person, write "person".',
    'We are open from 9 to 6, Monday to Saturday.',
  ])
  const shown = readDocument(await run(shop, 'campaign', 'show', '--campaign', id))
  assert.equal(shown.entries, 21)
  assert.deepEqual(shown.unanswered[0].questions, [{ question: 'how tall is mount everest', times: 1 }])
})

test('commands reply, take over and hand back, and show what the bot decided', async () => {
  const { app, run } = beside
  const shop = await app.makeAccount()
  const first = await write(shop, 'Hello')
  await untilAnswered(app)
  const contact = await contactOf(app)
  const { decision } = readDocument(await run(shop, 'messages', '--message', first))
  assert.deepEqual([decision.outcome, decision.reason, decision.routing], ['answered', 'greeting', 'default'])

  const taken = readDocument(await run(shop, 'takeover', '--contact', contact))
  assert.deepEqual([taken.handler, taken.reason], ['person', 'taken over'])
  await write(shop, 'Hello')
  await untilAnswered(app)
  const { messageId } = readDocument(await run(shop, 'reply', '--contact', contact, '--body', 'I am here.'))
  assert.match(messageId, /^msg_/)
  assert.equal(readDocument(await run(shop, 'handback', '--contact', contact)).handler, 'bot')
  await write(shop, 'Hello')
  await untilAnswered(app)
  const greeting = 'bot: Hello! How can I help you?'
  const hello = 'contact: Hello'
  assert.deepEqual(await conversation(app), [hello, greeting, hello, 'person: I am here.', hello, greeting])
  assert.equal(readDocument(await run(shop, 'bot', 'off', '--contact', contact)).handler, 'off')
  assert.equal(readDocument(await run(shop, 'bot', 'on', '--contact', contact)).handler, 'bot')

  assertRefusedCommand(await run(shop, 'reply', '--contact', contact, '--body', ' \u200b '), /must not be empty/)
  assertRefusedCommand(
    await run(shop, 'takeover', '--contact', 'ana'),
    /There is no contact ana; its id would begin with con_/,
  )
  assertRefusedCommand(await run(shop, 'takeover', '--contact', 'con_nope'), /^There is no contact con_nope\.\n/)
  const other = await app.makeAccount()
  assertRefusedCommand(await run(other, 'takeover', '--contact', contact), /no conversation/)
})

test('a campaign is created and changed from files, and each error in a file is named', async () => {
  await using model = await startModel()
  await using files = await makeFiles({
    'sales.json': {
      name: 'Sales',
      greetingText: 'Sales here.',
      keywords: [{ text: 'sale', match: 'word' }],
      shedule: 1,
    },
    'live.json': {
      status: 'live',
      isDefault: true,
      ...model.file,
      provider: { ...model.file.provider, apiKey: 'sk-1' },
    },
    'broken.json': '{ "name": ',
    'bands.json': { offerThreshold: 0.9 },
    'type.json': { quietSeconds: '2' },
    'word.json': { keywords: [{ text: 'x', match: 'like' }] },
    'model.json': { name: 'No model', engine: 'openai', model: null },
    'inside.json': { provider: { baseUrl: 'http://169.254.169.254/latest' } },
    'blank.json': { greetingText: '  ' },
    'none.csv': 'question,answer\nx,y\n',
  })
  const { app, commands, run } = beside
  const shop = await app.makeAccount()
  const made = readDocument(await run(shop, 'campaign', 'create', '--file', files.path('sales.json')))
  assert.deepEqual([made.status, made.version, made.ignored], ['draft', 1, ['shedule']])
  const id = made.campaignId
  const update = (name: string) => commands.run('campaign', 'update', '--id', id, '--file', files.path(name), '--json')
  const create = (name: string) => run(shop, 'campaign', 'create', '--file', files.path(name))
  assert.equal(readDocument(await update('live.json')).version, 2)
  const shown = await run(shop, 'campaign', 'show', '--campaign', id)
  assert.doesNotMatch(shown.stdout, /sk-1/)
  const campaign = readDocument(shown)
  assert.deepEqual([campaign.isDefault, campaign.provider.hasKey], [true, true])
  assert.deepEqual([campaign.settings.greetingText, campaign.settings.quietSeconds], ['Sales here.', 2])
  assert.notEqual(await defaultCampaign(app, shop), undefined)
  const docs = await readFile(resolve(import.meta.dirname, '../../../docs/campaigns.md'), 'utf8')
  const [sample = '', change = ''] = [...docs.matchAll(/```json\n([^`]+)```/g)].map(([, json = '']) => json)
  await writeFile(files.path('blank.csv'), sample)
  const named = await commands.run('campaign', 'create', '--account', shop.email, '--file', files.path('blank.csv'))
  assert.match(
    named.stdout,
    /\nignored +none\n/,
    'the example of the docs has no unknown field, and the line says what has none',
  )
  assert.doesNotMatch(named.stdout, /^none$/m)
  assert.deepEqual(JSON.parse(change), { status: 'live' })

  assertRefusedCommand(await update('broken.json'), /broken.json is not JSON/)
  assertRefusedCommand(await update('bands.json'), /offerThreshold must not be more than answerThreshold/)
  assertRefusedCommand(await update('type.json'), /quietSeconds must be a whole number/)
  assertRefusedCommand(await update('word.json'), /keywords.0.match must be one of: exact,word,contains/)
  assertRefusedCommand(await update('model.json'), /connection is of the kind openai-compatible, not openai/)
  assertRefusedCommand(await create('model.json'), /model is required/)
  assertRefusedCommand(await update('inside.json'), /provider.baseUrl cannot be used/)
  assertRefusedCommand(await update('blank.json'), /greetingText must not be empty/)
  assertRefusedCommand(await update('missing.json'), /Cannot read/)
  assertRefusedCommand(
    await commands.run('knowledge', 'import', '--campaign', id, '--file', files.path('none.csv')),
    /first line must be a header/,
  )
  assertRefusedCommand(await commands.run('bot', 'ask', '--campaign', 'cmp_1', 'hello'), /no campaign cmp_1/)
  assertRefusedCommand(await commands.run('bot', 'ask', '--campaign', id), /"question" is missing/)
  assert.equal(readDocument(await run(shop, 'campaign', 'show')).campaigns.length, 3) // with that of the docs

  const asking = commands.run('bot', 'ask', 'Is it red?', '--campaign', id, '--json')
  const question = await model.next()
  question.answer('It is red.')
  const said = readDocument(await asking)
  assert.deepEqual(
    [said.decision, said.text, said.engine, said.model],
    ['answer', 'It is red.', 'openai-compatible', 'test'],
  )
})
