import assert from 'node:assert/strict'
import { test } from 'node:test'
import { json, startModelServer } from '../../helpers/model-server.ts'
import { never, openWorld, turnOf } from '../../helpers/model-world.ts'

const shop = Array.from({ length: 27 }, (_, at) => ({
  entryId: `ent_${at}` as const,
  question: `Question ${at}?`,
  handsOver: false,
  score: 0.2 - at / 200,
  answer: `Answer ${at}. ${'word '.repeat(20)}${at === 11 ? 'Write to desk@shop.example.' : ''}`,
}))

test('a model gets all entries of a small business, may use any of them, and its answer says which', async () => {
  const written = 'Write to desk@shop.example [k12], not to other@shop.example [k12, k13].'
  await using server = await startModelServer(() => json(written, ['k12', '27']))
  await using world = openWorld({ known: shop })
  const answer = await world.engine(server.url).generate(turnOf('Wann haben Sie geöffnet?'), never)
  const prompt = server.asked[0]?.messages.at(-1)?.text ?? ''
  for (const { question } of shop) assert.ok(prompt.includes(question), question)
  assert.deepEqual([answer.kind, answer.text], ['answer', 'Write to desk@shop.example, not to.'])
  assert.deepEqual(
    answer.sources.map(({ entryId }) => entryId),
    ['ent_11', 'ent_26'],
  )
})

test('a question that needs the one before it is also looked for together with it', async () => {
  await using server = await startModelServer(() => json('We are closed on Sundays.'))
  const asked: string[] = []
  await using world = openWorld({ whenAsked: (question) => asked.push(question) })
  const history = [
    { by: 'contact', kind: 'text', text: 'When are you open?' },
    { by: 'bot', kind: 'text', text: 'Monday to Friday, 9 to 17.' },
  ] as const
  await world.engine(server.url).generate(turnOf('and on Sundays?', { history: [...history] }), never)
  assert.deepEqual(asked, ['and on Sundays?', 'and on Sundays?\nWhen are you open?'])
  assert.match(server.asked[0]?.messages[0]?.text ?? '', /When are you open\?/)
})
