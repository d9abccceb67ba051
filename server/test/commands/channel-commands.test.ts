import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertRefusedCommand, commandsWith, readDocument, startShopWithCommands } from '../helpers/commands.ts'
import { startTelegram } from '../helpers/providers/telegram.ts'

async function startWorld() {
  await using started = new AsyncDisposableStack()
  const telegram = started.use(await startTelegram())
  const shop = started.use(await startShopWithCommands())
  const commands = commandsWith({
    ...shop.environment,
    CHANNEL_ORIGINS: `telegram=${telegram.origin}`,
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
  })
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-channels-'))
  started.defer(() => rm(folder, { recursive: true }))
  const file = join(folder, 'credentials.json')
  const run = (...words: string[]) => commands.run('channel', ...words, '--json')
  const connect = async (credentials: unknown, kind = 'telegram') => {
    await writeFile(file, JSON.stringify(credentials))
    return run('connect', '--account', shop.shop.email, '--kind', kind, '--file', file)
  }
  const running = started.move()
  return { ...shop, telegram, run, connect, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

test('a channel is connected, shown, looked at, held, resumed and removed by commands, and its token is printed by none', async () => {
  await using world = await startWorld()
  const { telegram, shop, run, connect } = world
  const bot = telegram.addBot('shop_bot')
  const account = ['--account', shop.email]
  const connected = readDocument(await connect({ token: bot.token }))
  const channel = ['--channel', connected.channelId]
  assert.deepEqual([connected.address, connected.state, connected.receivingBy], ['@shop_bot', 'working', 'poll'])
  const outputs = [
    await run('show', ...account),
    await run('check', ...account, ...channel),
    await run('hold', '--all'),
    await run('show', ...account),
    await run('resume', '--all'),
    await run('show', ...account),
    await run('remove', ...account, ...channel),
    await run('show', ...account),
  ]
  const [shown, checked, held, whileHeld, resumed, after, removed, none] = outputs.map(readDocument)
  assert.deepEqual(
    shown.channels.map(({ name }: { name: string }) => name),
    ['The shop'],
  )
  assert.deepEqual(
    checked.checks.map(({ check, state }: { check: string; state: string }) => [check, state]),
    [
      ['credentials', 'done'],
      ['receiving', 'done'],
      ['first message', 'waits'],
    ],
  )
  assert.deepEqual([held, resumed, removed], [{ held: true }, { resumed: 1 }, { removed: true, left: null }])
  assert.deepEqual([whileHeld.channels[0].isHeld, after.channels[0].isHeld, none], [true, false, { channels: [] }])
  assert.ok(!JSON.stringify(outputs).includes(bot.token))
})

test('what a command is given wrongly is refused in one sentence', async () => {
  await using world = await startWorld()
  const { shop, run, connect, telegram } = world
  assertRefusedCommand(await connect({ token: 'x' }), /token must be the token of a bot/)
  assertRefusedCommand(await connect({ token: `1:${'A'.repeat(35)}` }), /does not know this token.*401/)
  assertRefusedCommand(await connect(['x']), /must be a JSON object of texts/)
  assertRefusedCommand(await connect({ token: telegram.addBot().token }, 'fax'), /--kind must be telegram/)
  assertRefusedCommand(await run('check', '--account', shop.email, '--channel', 'chn_x'), /There is no channel chn_x/)
  assertRefusedCommand(await run('resume'), /Give either --account with --channel, or --all/)
  assertRefusedCommand(await run('hold'), /Say --all/)
})

test('a website chat is made by a command from a file of settings, which prints the line for the page; bad settings are refused by name', async () => {
  await using world = await startWorld()
  const { shop, run, connect } = world
  const made = readDocument(await connect({ pages: ['LOCALHOST:3000'], languages: ['de', 'en'] }, 'webchat'))
  assert.deepEqual(
    [made.kind, made.address, made.state, made.pages],
    ['webchat', 'localhost:3000', 'working', ['localhost:3000']],
  )
  assert.match(
    made.line,
    new RegExp(`^<script async src="https://localhost:\\d+/chat/${made.channelId}\\.js"></script>$`),
  )
  const shown = readDocument(await run('show', '--account', shop.email))
  assert.deepEqual(
    shown.channels.map(({ line }: { line: string }) => line),
    [made.line],
  )
  assertRefusedCommand(await connect({ pages: ['*'] }, 'webchat'), /settings\.pages must name hosts/)
  assertRefusedCommand(await connect({ pages: ['a.example'], colour: 1 }, 'webchat'), /colour must be a string/)
  assertRefusedCommand(await connect({ pages: 'a.example' }, 'webchat'), /pages must be an array/)
  assertRefusedCommand(await connect(['a.example'], 'webchat'), /must be a JSON object of settings/)
})
