import type { Page } from 'playwright-core'
import { agency } from '../agency.ts'
import type { Shots } from './studio.ts'

const sub = agency.subaccounts.at(-1)?.name ?? ''

/** The agency with its sub-accounts. */
export const agencyShots: Shots = {
  agency: openOne,
  'agency-list': openList,
  'agency-grant': async (page) => {
    await openList(page)
    await page
      .getByRole('row', { name: new RegExp(sub) })
      .getByRole('button', { name: 'Grant' })
      .click()
    await page.getByRole('textbox', { name: 'Credits', exact: true }).fill('250')
  },
  'agency-take-back': async (page) => {
    await openOne(page)
    await page
      .getByRole('button', { name: /^Take back/ })
      .first()
      .click()
  },
  'agency-new': async (page) => {
    await openList(page)
    await page.getByRole('button', { name: 'New sub-account' }).click()
  },
  'agency-recharge': async (page) => {
    await page.goto('/agency/recharge')
    await page.waitForTimeout(800)
  },
}

async function openList(page: Page): Promise<void> {
  await page.goto('/agency')
  await page.getByText(sub).first().waitFor()
}

async function openOne(page: Page): Promise<void> {
  await openList(page)
  await page
    .getByRole('link', { name: new RegExp(sub) })
    .first()
    .click()
  await page.waitForTimeout(800)
}
