import type { Page } from 'playwright-core'
import { failing, loading } from './screen-states.ts'
import type { Shots } from './studio.ts'

/** Campaigns: the list, and one of them in all its parts. */
export const campaignShots: Shots = {
  campaigns: async (page) => {
    await page.goto('/campaigns')
    await page.getByRole('link', { name: 'Default' }).waitFor()
  },
  'campaigns-new': async (page) => {
    await page.goto('/campaigns')
    await page.getByRole('button', { name: 'New campaign' }).click()
    await page.getByRole('button', { name: 'Create campaign' }).click()
    await page.getByText('Give it a name.').waitFor()
  },
  'campaigns-loading': loading('/campaigns', '**/api/campaigns'),
  'campaigns-error': failing('/campaigns', '**/api/campaigns'),
  'campaign-knowledge': async (page) => {
    await open(page)
    await page.getByRole('button', { name: 'Do you service e-bikes?', exact: true }).click()
    await ask(page, 'can you look at my electric bike', 'Answer')
    await ask(page, 'how long does it take', /^(Offer|Fallback|Answer)$/)
  },
  'campaign-new-entry': async (page) => {
    await open(page)
    await page.getByRole('button', { name: 'New entry' }).click()
    await page.getByRole('button', { name: 'Add entry' }).click()
    await page.getByText('Write what the bot says.').waitFor()
  },
  'campaign-import': async (page) => {
    await open(page)
    await page.getByRole('button', { name: 'Import' }).click()
    const text = 'answer,question\n"Yes, £15 a day.",Do you rent bikes?\nWe open at nine.,When do you open?\n'
    const file = { name: 'shop.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }
    await page.getByLabel('File').setInputFiles(file)
    await page.getByRole('button', { name: /^Import \d/ }).waitFor()
  },
  'campaign-unanswered': async (page) => {
    await open(page, 'Unanswered')
    await page
      .getByRole('button', { name: /^Make an entry of/ })
      .first()
      .click()
    await page.getByLabel('Answer', { exact: true }).fill('Yes, if it is in riding order. Bring it by, {{firstName}}.')
  },
  'campaign-settings': async (page) => open(page, 'Settings'),
  'campaign-settings-changed': async (page) => {
    await open(page, 'Settings')
    await page.getByRole('slider', { name: 'Answer from' }).press('PageUp')
    await page.getByText('More settings').click()
    await page.getByRole('button', { name: 'Save changes' }).waitFor()
  },
  'campaign-texts': async (page) => open(page, 'Texts'),
  'campaign-gone': async (page) => {
    await page.goto(`/campaigns/cmp_${'0'.repeat(32)}`)
    await page.getByText('This campaign is not here.').waitFor()
  },
}

async function open(page: Page, tab?: string): Promise<void> {
  await page.goto('/campaigns')
  await page.getByRole('link', { name: 'Default' }).click()
  await page.getByRole('button', { name: 'When do you open?', exact: true }).waitFor()
  if (tab === undefined) return
  const parts = page.getByRole('navigation', { name: 'Parts of the campaign' })
  await parts.getByRole('link', { name: new RegExp(`^${tab}`) }).click()
  await page.waitForTimeout(600)
}

async function ask(page: Page, question: string, decision: string | RegExp): Promise<void> {
  await page.getByLabel('Ask the bot').fill(question)
  await page.getByLabel('Ask the bot').press('Enter')
  await page.getByRole('log').getByText(decision, { exact: true }).last().waitFor()
  await page.waitForTimeout(500)
}
