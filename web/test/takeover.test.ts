import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  contactOf,
  conversation,
  holdTurnsBack,
  makeCampaign,
  makeTurnsDue,
  startModel,
  write,
} from '../../server/test/helpers/bots.ts'
import { saveUrl, untilMessages } from '../../server/test/helpers/deliveries.ts'
import { startReceiver } from '../../server/test/helpers/receivers.ts'
import { until } from '../../server/test/helpers/until.ts'
import { openSignedIn, type Site, startSite, type Window } from './helpers/site.ts'

/** A site whose bot asks a model that answers when the test says so, and a receiver of its replies. */
async function startThinking() {
  await using starting = new AsyncDisposableStack()
  const model = starting.use(await startModel())
  const receiver = starting.use(await startReceiver())
  const site = starting.use(await startSite())
  await makeCampaign(site.app, site.account, { ...model.file, isDefault: true })
  await saveUrl(site.app, site.account, receiver.url)
  await holdTurnsBack(site.app)
  const started = starting.move()
  const delivered = () => receiver.requests.map(({ body }) => JSON.parse(String(body)).body)
  return { ...site, model, delivered, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

/** Ana asks, and the model has her question. */
async function ask(site: Site & Pick<Awaited<ReturnType<typeof startThinking>>, 'model'>, text: string) {
  await write(site.account, text, { fromId: 'ana', firstName: 'Ana' })
  await makeTurnsDue(site.app.db)
  return await site.model.next()
}

const untilNoTurn = ({ app }: Site) =>
  until(async () => (await app.db.selectFrom('turns').select('contactId').execute()).length === 0, 'a turn is pending')

const texts = ({ page }: Window) => page.locator('.bubble-text').allInnerTexts()
const log = ({ page }: Window) => page.getByRole('log')

test('taking over stops the bot in the middle of its answer, which neither appears nor is delivered', async () => {
  await using site = await startThinking()
  await using window = await openSignedIn(site)
  const { page } = window
  const thought = await ask(site, 'Do you deliver on Sundays?')
  await window.go(`/inbox/${await contactOf(site.app)}`)
  await log(window).getByText('Bot is writing').waitFor()
  await page.getByRole('link', { name: /Ana.*Bot is writing…/ }).waitFor()
  await page.getByText('Bot answers here.').waitFor()

  await page.getByRole('radio', { name: /Take over/ }).click()
  await page.getByText('Bot paused here.').waitFor()
  await log(window).getByText('Bot is writing').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: /Ana.*Bot is writing…/ }).waitFor({ state: 'detached' })
  thought.answer('Too late')
  await untilNoTurn(site)
  // Replies of a conversation leave in their order: had the bot written anything, it would come before this one.
  await page.getByLabel(/^Message to/).fill('We do, until noon.')
  await page.getByLabel(/^Message to/).press('Enter')
  await untilMessages(site.app, site.account, (all) => all.some(({ status }) => status === 'Sent'))
  await log(window).getByText('We do, until noon.').waitFor()
  assert.deepEqual(await texts(window), ['Do you deliver on Sundays?', 'We do, until noon.'])
  assert.deepEqual(site.delivered(), ['We do, until noon.'])
  assert.deepEqual(await conversation(site.app), ['contact: Do you deliver on Sundays?', 'person: We do, until noon.'])
})

test('handed back, the bot answers the next message; handed back with an answer, it answers the open one', async () => {
  await using site = await startThinking()
  await using window = await openSignedIn(site)
  const { page } = window
  const thought = await ask(site, 'First question')
  await window.go(`/inbox/${await contactOf(site.app)}`)
  await page.getByRole('radio', { name: /Take over/ }).click()
  await page.getByText('Bot paused here.').waitFor()
  thought.answer('Too late')
  await untilNoTurn(site)
  await page.getByRole('radio', { name: /Hand back/ }).click()
  await page.getByText('Bot answers here.').waitFor()
  await page.getByRole('button', { name: 'Also answer what is open' }).click()
  await until(async () => {
    await makeTurnsDue(site.app.db)
    return site.model.asked.length === 2
  }, 'the bot does not answer the open question')
  const second = await site.model.next()
  assert.match(second.text, /First question/)
  await log(window).getByText('Bot is writing').waitFor()
  second.answer('An answer to the first')
  await log(window).getByText('An answer to the first').waitFor()
  await log(window).getByText('Bot is writing').waitFor({ state: 'detached' })

  await page.keyboard.press('t')
  await page.getByText('Bot paused here.').waitFor()
  await page.keyboard.press('t')
  await page.getByText('Bot answers here.').waitFor()
  ;(await ask(site, 'Second question')).answer('An answer to the second')
  await log(window).getByText('An answer to the second').waitFor()
  const all = ['First question', 'An answer to the first', 'Second question', 'An answer to the second']
  assert.deepEqual(await texts(window), all)
  await until(() => site.delivered().length === 2, 'not both answers were delivered')
  assert.deepEqual(site.delivered(), [all[1], all[3]])
})
