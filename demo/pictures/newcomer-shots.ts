import type { Page } from 'playwright-core'
import type { Shots } from './studio.ts'

const channelShots: Shots = {
  'channels-none': (page) => open(page, '/channels', 'No channel yet. Which one first?'),
  'channels-connect': (page) => open(page, '/channels/new?kind=telegram', 'Paste its token'),
  'first-run-telegram': (page) => open(page, '/first-run?lane=built-in', 'Make a bot and paste its token'),
}

/** What somebody sees who has just been given an account: everything is empty, then the first steps one by one. */
export function newcomerShots(receiverUrl: string): Shots {
  return {
    'inbox-empty': (page) => open(page, '/inbox', 'Nobody has written yet'),
    'inbox-empty-waiting': (page) => open(page, '/inbox?filter=waiting', 'Nobody waits for you'),
    'contacts-empty': (page) => open(page, '/contacts', 'No contacts yet.'),
    'lists-first': (page) => page.goto('/lists'),
    'settings-alerts-none': (page) => open(page, '/settings/alerts', 'No alert address is saved.'),
    'settings-webhook-none': (page) => open(page, '/settings/webhook', 'No webhook is saved.'),
    ...channelShots,
    'simulator-new': (page) => open(page, '/develop/simulator', 'Nobody has written yet'),
    'first-run': (page) => open(page, '/first-run', 'Send a message in'),
    'first-run-generate': async (page) => {
      await open(page, '/first-run', 'Send a message in')
      await page.getByRole('button', { name: 'Lost it? Make a new one' }).click()
    },
    'step-key': async (page) => {
      await open(page, '/first-run', 'Send a message in')
      await page.getByRole('button', { name: 'Lost it? Make a new one' }).click()
      await page.getByRole('button', { name: 'End it and generate' }).click()
      await page.getByText('Shown until you leave this page.', { exact: false }).waitFor()
    },
    'step-message': async (page, { isFirst }) => {
      await open(page, '/first-run', 'Plug in your first channel')
      if (isFirst) await page.getByRole('button', { name: 'Try it here' }).first().click()
      await page.getByText('First message received').waitFor()
    },
    'step-webhook-wrong': async (page) => {
      await open(page, '/first-run', 'First message received')
      await page.getByLabel('Webhook URL').fill('http://10.1.4.20/replies')
      await page.getByRole('button', { name: /Save and test|Test again/ }).click()
      await page.waitForTimeout(1_500)
    },
    'step-webhook': async (page, { isFirst }) => {
      await open(page, '/first-run', 'First message received')
      if (isFirst) {
        await page.getByLabel('Webhook URL').fill(receiverUrl)
        await page.getByRole('button', { name: /Save and test|Test again/ }).click()
      }
      await page.getByText('Webhook saved, and it answered').waitFor()
    },
    'step-taught': async (page, { isFirst }) => {
      await open(page, '/first-run', 'Webhook saved, and it answered')
      if (isFirst) {
        await page.getByLabel('Answer', { exact: true }).fill('We open at 8:30 and close at 18:00.')
        await page.getByRole('button', { name: 'Add the answer' }).click()
      }
      await page.getByText('Bot taught').waitFor()
    },
    'step-done': async (page, { isFirst }) => {
      await open(page, '/first-run', 'Bot taught')
      const tryIt = page.getByRole('button', { name: 'Try it here' })
      if (isFirst && (await tryIt.isVisible())) await tryIt.click({ timeout: 5_000 }).catch(() => {}) // the reply may come first
      await page.getByText('All five steps are done').waitFor()
    },
    'settings-webhook-healthy': (page) => open(page, '/settings/webhook', 'Your server answered the test post.'),
    'settings-account-key': async (page) => {
      await open(page, '/settings/account', 'Rate limit')
      await page.getByRole('button', { name: 'Generate' }).click()
      await page.getByRole('button', { name: 'End it and generate' }).click()
      await page.getByText('Your new key').waitFor()
    },
  }
}

async function open(page: Page, path: string, text: string): Promise<void> {
  await page.goto(path)
  await page.getByText(text).first().waitFor()
}
