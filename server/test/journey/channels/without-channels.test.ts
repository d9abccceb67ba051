// Runs alone: takes long, it starts servers and follows what they load

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { runJson, sendMessage } from '../../helpers/backups.ts'
import { startInstallation } from '../../helpers/providers/installation.ts'
import { startTelegram, untilShown } from '../../helpers/providers/telegram.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { makeDataFolder } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

/** What built-in channels are made of. */
const ofChannels =
  /^server\/src\/(start-channels|open-hooks|open-website-chat|channel-app-handlers|app\/website-chat\/|journey\/(channels|provider-events|intake\/channel-messages|media\/outgoing|delivery\/transports\/channel)\/)/

/** What every server loads: whether there are any, and where their parts begin, which are loaded when they are needed. */
const allowed = {
  'server/src/app/website-chat/entry/exchange.ts': 'a visitor asks',
  'server/src/app/website-chat/entry/refused.ts': 'a visitor asks',
  'server/src/app/website-chat/messages/post-schema.ts': 'a visitor asks',
  'server/src/app/website-chat/routes.ts': 'a visitor asks',
  'server/src/journey/channels/fetch-file.ts': 'a file of a channel is to be fetched',
  'server/src/journey/channels/load-kind.ts': 'a channel of a kind is used',
  'server/src/journey/channels/own-store.ts': 'what is old is deleted',
  'server/src/journey/channels/show-typing.ts': 'an answer over a channel is being written',
  'server/src/journey/channels/store.ts': 'are there channels?',
  'server/src/journey/delivery/transports/channel/channel.ts': 'a message leaves over a channel',
  'server/src/journey/media/outgoing/keep-file.ts': 'somebody attaches a file',
  'server/src/journey/media/outgoing/outgoing-store.ts': 'what is old is deleted',
  'server/src/journey/provider-events/event-store.ts': 'what is old is deleted',
  'server/src/journey/provider-events/hooks.ts': 'a provider calls',
  'server/src/journey/provider-events/poll/poll-store.ts': 'is there one to fetch from?',
}

/** Of what is loaded with the first channel. */
const neededForOne = [
  'server/src/channel-app-handlers.ts',
  'server/src/start-channels.ts',
  'server/src/journey/channels/kinds/telegram/telegram.ts',
  'server/src/journey/delivery/transports/channel/send-over-channel.ts',
]

/** A server whose loading is followed, with what it has loaded so far, and which files have set timers. */
async function startWatched(environment: Record<string, string>) {
  await using starting = new AsyncDisposableStack()
  const folder = starting.use(await makeDataFolder())
  const written = join(folder.path, 'loading.txt')
  const root = resolve(import.meta.dirname, '../../../..')
  const installation = starting.use(
    await startInstallation(
      { DATA_DIR: folder.path, LOADING_FILE: written, OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1/32', ...environment },
      ['--import', join(root, 'server/test/helpers/watch-loading.ts')],
    ),
  )
  const read = async (what: 'loaded' | 'timer') => {
    const lines = (await readFile(written, 'utf8')).split('\n')
    return lines.flatMap((line) => (line.startsWith(`${what} `) ? [line.slice(what.length + 1)] : [])).sort()
  }
  const started = starting.move()
  return {
    ...installation,
    environment: { DATA_DIR: folder.path },
    readOfChannels: async (what: 'loaded' | 'timer') => (await read(what)).filter((file) => ofChannels.test(file)),
    read,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

test('a server without channels loads nothing of them but where they begin, and no timer is theirs; with the first one all of it is there', async (t) => {
  await using platform = await startReceiver()
  await using telegram = await startTelegram()
  await using watched = await startWatched({ CHANNEL_ORIGINS: `telegram=${telegram.origin}` })
  const { server, call, read, readOfChannels } = watched
  const email = server.facts.email ?? ''
  await runJson(watched.environment, 'webhook', 'set', '--account', email, '--url', platform.url)
  await sendMessage(server, 'asked on the platform')
  await until(() => platform.requests.length > 0, 'it was not answered')
  // Every stage has asked whether there is work.
  const asked = async () => (await read('timer')).includes('server/src/platform/jobs/polling.ts')
  await until(asked, 'no stage polls')
  const [loaded, timers] = [await readOfChannels('loaded'), await readOfChannels('timer')]
  assert.deepEqual(loaded, Object.keys(allowed))
  assert.deepEqual(timers, [])
  t.diagnostic(
    `of ${(await read('loaded')).length} files that were loaded, ${loaded.length} are of channels: ${loaded.join(', ')}`,
  )
  t.diagnostic(`${(await read('timer')).length} files had a part in setting timers, none of them of channels`)

  const bot = telegram.addBot()
  const { status } = await call('POST', '/api/channels', { kind: 'telegram', credentials: { token: bot.token } })
  assert.equal(status, 200)
  const ana = bot.addPerson()
  ana.write('Hello')
  await untilShown(ana, 1)
  const since = (await readOfChannels('loaded')).filter((file) => !loaded.includes(file))
  for (const file of neededForOne) assert.ok(since.includes(file), `${file} is loaded`)
  assert.deepEqual(
    since.filter((file) => /website-chat|webchat/.test(file)),
    [],
    'a channel of another kind',
  )
  const timersSince = await readOfChannels('timer')
  assert.ok(timersSince.includes('server/src/journey/provider-events/poll/stage.ts'), 'and it fetches')
  t.diagnostic(`with the first channel ${since.length} more: ${since.join(', ')}; timers: ${timersSince.join(', ')}`)
})
