import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Bot, InlineKeyboard } from 'grammy'
import { putFile, startTelegram, untilShown } from '../../helpers/providers/telegram.ts'
import { faults, tooMany } from '../../helpers/providers/telegram-faults.ts'
import { until } from '../../helpers/until.ts'

/** A bot that a stranger wrote with a framework: what it can do with the double, it could do with Telegram. */
async function startStranger(origin: string, token: string): Promise<Bot & AsyncDisposable> {
  const bot = new Bot(token, { client: { apiRoot: origin, canUseWebhookReply: () => false } })
  bot.command('start', (ctx) => ctx.reply(`Welcome, ${ctx.from?.first_name}`))
  bot.on('message:text', (ctx) =>
    ctx.reply(`You said ${ctx.message.text}`, { reply_markup: new InlineKeyboard().text('Yes', 'y') }),
  )
  bot.on('callback_query:data', async (ctx) => {
    await ctx.answerCallbackQuery()
    await ctx.reply(`You chose ${ctx.callbackQuery.data}`)
  })
  bot.on('message:document', async (ctx) => ctx.reply(`A file at ${(await ctx.getFile()).file_path}`))
  bot.catch(() => {})
  void bot.start({ allowed_updates: ['message', 'callback_query'] })
  return Object.assign(bot, { [Symbol.asyncDispose]: () => bot.stop() })
}

test("a stranger's bot talks with a person of the double, in order and once", async () => {
  await using telegram = await startTelegram({ atNewAddress: true })
  const bot = telegram.addBot()
  const ana = bot.addPerson()
  await using _stranger = await startStranger(telegram.origin, bot.token)
  ana.write('/start', { entities: [{ type: 'bot_command', offset: 0, length: 6 }] })
  await untilShown(ana, 1)
  ana.write('Hello')
  const [, second] = await untilShown(ana, 2)
  assert.ok(second)
  ana.tap(second, 'y')
  ana.send({ document: { ...putFile(bot, 'bill.pdf', Buffer.from('%PDF')), file_name: 'bill.pdf' } })
  const shown = await untilShown(ana, 4)
  assert.deepEqual(
    shown.map(({ text }) => text),
    ['Welcome, Ana', 'You said Hello', 'You chose y', 'A file at documents/bill.pdf'],
  )
  assert.equal(bot.updates.polls.most, 1)
})

test('the double knows a wrong token, two pollers, a hook, who has blocked the bot, and limits', async () => {
  await using telegram = await startTelegram({ atNewAddress: true })
  const bot = telegram.addBot()
  const ana = bot.addPerson()
  const { api } = new Bot(bot.token, { client: { apiRoot: telegram.origin } })
  const wrong = new Bot(`${bot.token}x`, { client: { apiRoot: telegram.origin } })
  await assert.rejects(wrong.api.getMe(), /401/)
  const first = api.getUpdates({ timeout: 20 }).catch((error) => String(error))
  await until(() => bot.updates.polls.open === 1, 'the first poll did not begin')
  const second = api.getUpdates({ timeout: 1 })
  assert.match(String(await first), /409.*terminated by other getUpdates/)
  assert.deepEqual(await second, [])
  await api.setWebhook('https://127.0.0.1:9/')
  await assert.rejects(api.getUpdates(), /409.*webhook is active/)
  await api.deleteWebhook()
  ana.block()
  await assert.rejects(api.sendMessage(ana.chatId, 'x'), /403.*blocked/)
  ana.unblock()
  await assert.rejects(api.sendMessage(1, 'x'), /400.*chat not found/)
  telegram.plan('sendMessage', tooMany(3))
  await assert.rejects(api.sendMessage(ana.chatId, 'x'), /429/)
  telegram.plan('sendMessage', faults.cut, { isDone: true })
  await assert.rejects(api.sendMessage(ana.chatId, 'x'))
  assert.equal(ana.shown.length, 1, 'it was accepted, and nobody was told')
})

test('an update that was not confirmed comes again, and a confirmed one never', async () => {
  await using telegram = await startTelegram({ atNewAddress: true })
  const bot = telegram.addBot()
  const ana = bot.addPerson()
  const { api } = new Bot(bot.token, { client: { apiRoot: telegram.origin } })
  for (const text of ['1', '2', '3']) ana.write(text)
  const ids = (updates: { update_id: number }[]) => updates.map(({ update_id }) => update_id)
  const all = ids(await api.getUpdates())
  assert.deepEqual(ids(await api.getUpdates()), all)
  assert.deepEqual(ids(await api.getUpdates({ offset: (all[0] ?? 0) + 1 })), all.slice(1))
  assert.deepEqual(ids(await api.getUpdates({ offset: (all[2] ?? 0) + 1 })), [])
  await sleep(1)
})
