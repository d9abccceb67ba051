import type { Page } from 'playwright-core'
import type { Shots } from './studio.ts'

const given = [
  'Ottoline',
  'Bram',
  'Ayşe',
  'Wren',
  'Kofi',
  'Lucía',
  'Jonas',
  'Priya',
  'Tomasz',
  'Hannah',
  'Gus',
  'Saoirse',
]

/** As a till of the shop would export it: some numbers without a country code, some addresses with a slip. */
function springSale(): string {
  const wrong = new Map([
    [12, 'Ann;07700 900 77;;88-1212'],
    [40, 'Liz;;liz@@example;88-1240'],
    [77, 'Sam;;;88-1277'],
    [101, 'Fay;+999 12 34 567;;88-1301'],
  ])
  const rows = Array.from({ length: 180 }, (_, n) => {
    const name = given[n % given.length] ?? ''
    const address = `${name.toLowerCase().replace(/[^a-z]/g, '')}${n}@example.com`
    return wrong.get(n) ?? `${name};+44 7700 9${String(10_000 + n)};${address};88-${1_200 + n}`
  })
  return ['given_name;mobile;mail;loyalty_no', ...rows].join('\r\n')
}

/** A short one that is really imported: mostly people whom the shop knows, so that the other pictures stay as they are. */
const fewPeople = [
  'given_name;mobile;mail;loyalty_no',
  'Adrian;+44 7700 900472;;88-1200',
  'Ann;07700 900 77;;88-1201',
  'Marta;+44 7700 900342;marta.l@example.com;88-1202',
  'Liz;;liz@@example;88-1203',
  'Yuki;;yuki@example.com;88-1204',
  'Sam;;;88-1205',
  'Hannah;;hannah.eze@example.com;88-1206',
  'Fay;+999 12 34 567;;88-1207',
  'Ottoline;+44 7700 900512;otto@example.com;88-1208',
].join('\r\n')

/** The import of contacts, and many contacts at once. */
export const importShots: Shots = {
  import: async (page) => openImport(page),
  'import-preview': async (page) => choose(page, springSale()),
  'import-refused': async (page) => {
    await openImport(page)
    await give(page, 'name;phone\nAna;"+44\n')
    await page.getByText('This file cannot be read.').waitFor()
  },
  'import-mend': async (page) => {
    await choose(page, fewPeople)
    await page.getByLabel('Put them on a list').selectOption({ index: 1 })
    await page.getByRole('button', { name: /^Import \d/ }).click()
    await page.getByText('rows need a look').first().waitFor()
    await page.getByRole('button', { name: 'Done' }).waitFor()
  },
  'contacts-selected': async (page) => {
    await page.goto('/contacts')
    await page.getByRole('link', { name: /Marta Lindqvist/ }).waitFor()
    for (const box of (await page.getByRole('checkbox', { name: /^Select (?!all)/ }).all()).slice(1, 4))
      await box.check()
  },
}

/** Leaves an import that was not started: an account has three at most. */
async function openImport(page: Page): Promise<void> {
  await page.goto('/contacts/import')
  await page.getByRole('dialog', { name: 'Import contacts' }).waitFor()
  const other = page.getByRole('button', { name: 'Choose another' })
  const file = page.getByLabel('Choose a file')
  await other.or(file).first().waitFor()
  if (await other.isVisible()) await other.click()
  await file.waitFor()
}

async function choose(page: Page, text: string): Promise<void> {
  await openImport(page)
  await give(page, text)
  await page.getByText('rows are ready.').waitFor()
}

async function give(page: Page, text: string): Promise<void> {
  const file = { name: 'spring-sale-2026.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }
  await page.getByLabel('Choose a file').setInputFiles(file)
}
