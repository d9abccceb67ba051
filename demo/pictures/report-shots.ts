import type { Page } from 'playwright-core'
import { failing, loading } from './screen-states.ts'
import type { Shots } from './studio.ts'

/** Two months of the shop. */
export const reportShots: Shots = {
  reports: openReports('/reports'),
  'reports-week': openReports('/reports?range=7'),
  'reports-90': openReports('/reports?range=90'),
  'reports-channel': openReports('/reports?channel=Marketplace'),
  'reports-day': async (page) => {
    await openReports('/reports')(page)
    await page.getByRole('slider').focus()
    for (let n = 0; n < 9; n += 1) await page.keyboard.press('ArrowLeft')
  },
  'reports-table': async (page) => {
    await openReports('/reports')(page)
    await page.getByRole('button', { name: 'Table' }).click()
    await page.getByRole('table', { name: 'By day' }).waitFor()
  },
  'reports-about': async (page) => {
    await openReports('/reports')(page)
    await page.getByRole('button', { name: 'How “Bot resolved” is counted' }).click()
    await page.getByText('One conversation on two days', { exact: false }).waitFor()
  },
  'reports-loading': loading('/reports', '**/api/reports*'),
  'reports-error': failing('/reports', '**/api/reports*'),
}

function openReports(path: string) {
  return async (page: Page) => {
    await page.goto(path)
    await page.getByRole('heading', { name: 'Who answered' }).waitFor()
    await page.waitForTimeout(300)
  }
}
