import assert from 'node:assert/strict'
import { request } from 'node:https'
import { test } from 'node:test'
import { type ChannelWorld, connectBot, readChannel, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { type Entrance, startEntrance } from '../../helpers/providers/entrance.ts'
import { until } from '../../helpers/until.ts'

async function startCalled(entrance: Entrance): Promise<ChannelWorld> {
  const world = await startChannelWorld({ PUBLIC_URL: entrance.url })
  entrance.leadTo(world.app.url)
  return world
}

const bodies = async ({ app }: ChannelWorld) =>
  (await app.db.selectFrom('messages').select('body').where('direction', '=', 'incoming').orderBy('seq').execute()).map(
    ({ body }) => body,
  )

test('with a public address the provider calls us, and each message is kept once', async () => {
  await using entrance = await startEntrance()
  await using world = await startCalled(entrance)
  const bot = world.telegram.addBot()
  const ana = bot.addPerson()
  const channel = await connectBot(world.owner, bot)
  assert.deepEqual([channel.receivingBy, channel.state], ['hook', 'working'])
  assert.equal(bot.hook.info().url, `${entrance.url}/hooks/telegram/${channel.id}`)
  for (const text of ['1', '2', '3']) ana.write(text)
  await until(() => bot.hook.answers.length === 3, 'not all messages came')
  assert.deepEqual(
    [await bodies(world), bot.hook.answers],
    [
      ['1', '2', '3'],
      [200, 200, 200],
    ],
  )
  assert.equal(bot.updates.polls.most, 0, 'nobody fetched')
})

test('a hook without the right secret is refused before its body is read, and an unknown one is not there', async () => {
  await using entrance = await startEntrance()
  await using world = await startCalled(entrance)
  const { id } = await connectBot(world.owner, world.telegram.addBot())
  const statuses = [
    await postTo(world, `/hooks/telegram/${id}`, {}),
    await postTo(world, `/hooks/telegram/${id}`, { 'x-telegram-bot-api-secret-token': 'wrong' }),
    await postTo(world, `/hooks/telegram/chn_${'0'.repeat(32)}`, {}),
    await postTo(world, `/hooks/sms/${id}`, {}),
    await postTo(world, '/hooks/telegram/nothing', {}),
  ]
  assert.deepEqual(statuses, [401, 401, 404, 404, 404])
  assert.deepEqual(await world.app.db.selectFrom('providerEvents').selectAll().execute(), [])
})

async function postTo({ app }: ChannelWorld, path: string, headers: Record<string, string>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const options = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, ca: app.certificate }
  const sent = request(`${app.url}${path}`, options, (response) => {
    response.resume()
    resolve(response.statusCode ?? 0)
  })
  sent.on('error', reject)
  sent.end('{"update_id":1}')
  return promise
}

test('when the public address goes or comes, the provider is told, and no message is lost between the two ways', async () => {
  await using entrance = await startEntrance()
  await using world = await startCalled(entrance)
  const bot = world.telegram.addBot()
  const ana = bot.addPerson()
  const { id } = await connectBot(world.owner, bot)
  ana.write('called')
  await until(async () => (await bodies(world)).length === 1, 'the first did not come')
  const change = async (receivesBy: 'poll' | 'auto') => {
    const { version } = await readChannel(world.owner, id)
    const { status, body } = await world.owner.call('PATCH', `/api/channels/${id}`, { receivesBy, version })
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  ana.write('between')
  assert.equal((await change('poll')).receivingBy, 'poll')
  assert.equal(bot.hook.info().url, '')
  ana.write('fetched')
  await until(async () => (await bodies(world)).length === 3, 'what was fetched did not come')
  assert.equal((await change('auto')).receivingBy, 'hook')
  ana.write('called again')
  await until(async () => (await bodies(world)).length === 4, 'the last did not come')
  assert.deepEqual((await bodies(world)).toSorted(), ['between', 'called', 'called again', 'fetched'])
})
