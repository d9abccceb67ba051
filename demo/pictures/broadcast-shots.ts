import type { Page } from 'playwright-core'
import { any, failing, loading } from './screen-states.ts'
import type { ScreenState, Shots } from './studio.ts'

export const broadcastShots: Shots = {
  broadcasts: async (page) => {
    await page.goto('/broadcasts')
    await page.getByRole('link', { name: 'Spring ride' }).waitFor()
  },
  'broadcasts-new': openForm,
  'broadcasts-wrong': async (page) => {
    await openForm(page, any)
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('Choose a list.').waitFor()
  },
  'broadcasts-preview': async (page) => {
    await openForm(page, any)
    const list = await page.getByRole('option', { name: /E-bike owners/ }).getAttribute('value')
    await page.getByLabel('List').selectOption(list)
    await page.getByLabel('Channel').fill('WhatsApp')
    await page.getByLabel('Message', { exact: true }).fill('Hello {{firstName}}, we are open on Sunday.')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('region', { name: 'Preview' }).waitFor()
  },
  'broadcasts-loading': loading('/broadcasts', '**/api/broadcasts'),
  'broadcasts-error': failing('/broadcasts', '**/api/broadcasts'),
  'broadcast-finished': open('Spring ride'),
  'broadcast-halted': open('Recall of a brake lever'),
  'broadcast-stop': async (page) => {
    await open('Recall of a brake lever')(page, any)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Keep it going' }).waitFor()
  },
  'broadcast-stopped': open('Yearly service'),
}

async function openForm(page: Page, _look: Parameters<ScreenState>[1]): Promise<void> {
  await page.goto('/broadcasts?to=')
  await page.getByRole('form', { name: 'New broadcast' }).waitFor()
}

function open(name: string): ScreenState {
  return async (page) => {
    await page.goto('/broadcasts')
    await page.getByRole('link', { name }).click()
    await page.getByRole('heading', { name }).waitFor()
    await page.waitForTimeout(300)
  }
}
