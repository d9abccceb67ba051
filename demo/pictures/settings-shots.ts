import type { Page } from 'playwright-core'
import { business } from '../business.ts'
import type { Shots } from './studio.ts'

/** Settings of the shop, whose server fails for some customers, and the simulator. */
export const settingsShots: Shots = {
  'settings-account': openAccount,
  'settings-account-password': async (page) => {
    await openAccount(page)
    await page.getByLabel('Current').fill('something')
    await page.getByLabel('New', { exact: true }).fill('short')
    await page.getByLabel('Current').focus()
  },
  'settings-account-generate': async (page) => {
    await openAccount(page)
    await page.getByRole('button', { name: 'Generate' }).click()
    await page.getByText('ends this one at once').waitFor()
  },
  'settings-team': openTeam,
  'settings-team-link': async (page) => {
    await openTeam(page)
    for (const old of await page.getByRole('button', { name: 'Withdraw' }).all()) await old.click()
    await page.getByRole('button', { name: 'New link' }).click()
    await page.getByText('Shown once').waitFor()
  },
  'settings-team-remove': async (page) => {
    await openTeam(page)
    await page.getByRole('button', { name: 'What to do with Tom Birch' }).click()
    await page.getByRole('menuitem', { name: 'Remove…' }).click()
    await page.getByRole('button', { name: 'Remove Tom Birch' }).waitFor()
  },
  'settings-audit': async (page) => {
    await page.goto('/settings/audit')
    await page.getByText('Invited a member by link').first().waitFor()
  },
  channels: async (page) => {
    await page.goto('/channels')
    await page.getByText('@kettle_lane_bot').waitFor()
  },
  'settings-ai': async (page) => {
    await page.goto('/settings/ai')
    await page.waitForTimeout(800)
  },
  'develop-reference': async (page) => {
    await page.goto('/develop/reference')
    await page.waitForTimeout(1200)
  },
  'develop-calls': async (page) => {
    await page.goto('/develop/calls')
    await page.waitForTimeout(800)
  },
  'join-ended': async (page) => {
    await page.goto('/join#ended')
    await page.getByText('This link was used or has ended').waitFor()
  },
  'settings-appearance': async (page) => {
    await page.goto('/settings/appearance')
    await page.getByText('As the system').waitFor()
  },
  'settings-alerts': openAlerts,
  'settings-alerts-detail': async (page) => {
    await openAlerts(page)
    await page.getByRole('button', { name: 'Somebody waits for a person.' }).first().click()
    await page.getByRole('heading', { name: 'Attempts' }).waitFor()
  },
  'settings-webhook': openWebhook,
  'settings-webhook-headers': async (page) => {
    await openFailed(page)
    await page.getByRole('button', { name: 'Headers' }).click()
  },
  'settings-webhook-answer': async (page) => {
    await openFailed(page)
    await page.getByRole('button', { name: 'Answer' }).click()
  },
  'settings-webhook-log-sent': async (page) => {
    await openWebhook(page)
    await page.getByRole('button', { name: /^Sent/ }).click()
    await page.waitForTimeout(500)
  },
  'settings-webhook-log-none': async (page) => {
    await openWebhook(page)
    await page.getByLabel('Search deliveries').fill('zeppelin')
    await page.waitForTimeout(800)
  },
  'settings-webhook-resend': async (page) => {
    await openWebhook(page)
    await page.getByRole('button', { name: 'Send failed again…' }).click()
  },
  'settings-webhook-test': async (page, { isFirst }) => {
    await openWebhook(page)
    if (!isFirst) return
    await page.getByRole('button', { name: 'Send a test post' }).click()
    await page
      .getByText(/Answered in/)
      .first()
      .waitFor()
  },
  'settings-webhook-reveal': async (page) => {
    await openWebhook(page)
    await page.getByRole('button', { name: /^Reveal/ }).click()
    await page.getByLabel('Your password', { exact: true }).fill('not the password')
    await page.getByRole('button', { name: 'Show the secret' }).click()
    await page.getByText('That is not your password.').waitFor()
  },
  'settings-webhook-secret': async (page) => {
    await openWebhook(page)
    await page.getByRole('button', { name: /^Reveal/ }).click()
    await page.getByLabel('Your password', { exact: true }).fill(business.owner.password)
    await page.getByRole('button', { name: 'Show the secret' }).click()
    await page.getByText(/whsec_\w/).waitFor()
  },
  'settings-webhook-rotate': async (page) => {
    await openWebhook(page)
    await page.getByRole('button', { name: 'Rotate' }).click()
  },
  'settings-webhook-url-wrong': async (page) => {
    await openWebhook(page)
    await page.getByLabel('URL').fill('https://10.1.4.20/replies')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForTimeout(800)
  },
  'settings-webhook-paused': {
    enter: async (page, { isFirst }) => {
      await openWebhook(page)
      if (isFirst) await page.getByRole('button', { name: 'Pause' }).click()
      await page.getByText('Deliveries are paused.').waitFor()
    },
    after: async (page, { isLast }) => {
      if (isLast) await page.getByRole('button', { name: 'Resume' }).click()
    },
  },
  'simulator-empty': async (page) => {
    await page.goto('/develop/simulator')
    await page.getByText('Nobody has written yet').or(page.locator('.sim-phone .bubble').first()).waitFor()
  },
  simulator: async (page, { isFirst }) => {
    await page.goto('/develop/simulator')
    if (isFirst) await writeAs(page, 'When do you open?')
    await page.getByText('We open at 8:30').first().waitFor()
  },
  'simulator-failing': {
    enter: async (page, { isFirst }) => {
      await page.goto('/develop/simulator')
      if (isFirst) {
        await page.getByLabel(/^Answers 503/).check()
        await writeAs(page, 'Where are you?')
      }
      await page.getByText('not here yet').waitFor()
    },
    after: async (page, { isLast }) => {
      if (isLast) await page.getByLabel(/^Answers 200/).check()
    },
  },
  'simulator-start-over': {
    enter: async (page) => {
      await page.goto('/develop/simulator')
      await page.getByRole('button', { name: 'Start over' }).click()
    },
    after: async (page, { isLast }) => {
      if (isLast) await page.getByRole('button', { name: 'Erase them' }).click()
    },
  },
}

async function openAccount(page: Page): Promise<void> {
  await page.goto('/settings/account')
  await page.getByText('API key').first().waitFor()
  await page.getByLabel('Your name').waitFor()
}

async function openWebhook(page: Page): Promise<void> {
  await page.goto('/settings/webhook')
  await page.getByRole('row').nth(1).waitFor()
}

async function openAlerts(page: Page): Promise<void> {
  await page.context().grantPermissions(['notifications'])
  await page.goto('/settings/alerts')
  await page.getByText('The alert address works.').waitFor()
  await page.getByText('works again.').first().waitFor()
}

const openFailed: (page: Page) => Promise<void> = async (page) => {
  await openWebhook(page)
  await page
    .getByRole('row', { name: /Failed/ })
    .first()
    .click()
  await page.getByRole('heading', { name: 'Attempts' }).waitFor()
}

async function writeAs(page: Page, text: string): Promise<void> {
  await page.getByLabel(/^Write as/).fill(text)
  await page.getByRole('button', { name: /^Send/ }).click()
}

async function openTeam(page: Page): Promise<void> {
  await page.goto('/settings/team')
  await page.getByText('Tom Birch').waitFor()
}
