import type { Page } from 'playwright-core'
import { any, failing, loading, openConversation, openInbox } from './screen-states.ts'
import type { ScreenState, Shots } from './studio.ts'

/** The screens of the shop's work besides the inbox: signing in, contacts, lists, and what is over every screen. */
export const shopShots: Shots = {
  'sign-in': async (page) => {
    await page.goto('/sign-in')
    await page.getByLabel('E-mail').waitFor()
  },
  'sign-in-wrong': async (page) => {
    await page.goto('/sign-in')
    await page.getByLabel('E-mail').fill('ines@kettlelane.example')
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('do not belong together').waitFor()
  },
  'sign-in-empty': async (page) => {
    await page.goto('/sign-in')
    await page.getByRole('button', { name: 'Sign in' }).click()
  },

  palette: async (page) => openPalette(page, ''),
  'palette-people': async (page) => openPalette(page, 'mar'),
  'palette-none': async (page) => openPalette(page, 'zeppelin'),
  'palette-inbox': async (page) => {
    await openConversation('Dev Patel')(page, any)
    await page.keyboard.press('Control+k')
    await page.getByRole('option').first().waitFor()
  },
  keys: async (page) => {
    await openInbox('')(page, any)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  },

  contacts: openContacts('/contacts'),
  'contacts-search': openContacts('/contacts?q=mar'),
  'contacts-search-none': async (page) => {
    await page.goto('/contacts?q=zeppelin')
    await page.getByText('Nobody matches').waitFor()
  },
  'contacts-new': openContacts('/contacts/new'),
  'contacts-new-wrong': async (page) => {
    await openContacts('/contacts/new')(page, any)
    await page.getByLabel('Phone').fill('07700 900342')
    await page.getByLabel('E-mail').fill('marta@@example.com')
    await page.getByRole('button', { name: 'Create contact' }).click()
    await page.getByText('Begin with +').waitFor()
  },
  'contacts-new-taken': async (page) => {
    await openContacts('/contacts/new')(page, any)
    await page.getByLabel('Phone').fill('+44 7700 900342')
    await page.getByRole('button', { name: 'Create contact' }).click()
    await page.getByText('has this number').waitFor()
  },
  'contacts-open': openMarta,
  'contacts-erase': async (page) => {
    await openMarta(page, any)
    await page.getByRole('button', { name: 'Erase this contact…' }).click()
    await page.getByText('for good').waitFor()
  },
  'contacts-gone': async (page) => {
    await page.goto(`/contacts/con_${'0'.repeat(32)}`)
    await page.getByText('This contact is gone.').waitFor()
  },
  'contacts-loading': loading('/contacts', '**/api/contacts*'),
  'contacts-error': failing('/contacts', '**/api/contacts*'),

  lists: async (page) => {
    await page.goto('/lists')
    await page.getByText('Spring ride').first().waitFor()
  },
  list: openList('E-bike owners'),
  'list-new': async (page) => {
    await page.goto('/lists')
    await page.getByRole('button', { name: 'New list' }).click()
    await page.getByRole('button', { name: 'Create list' }).click()
  },
  'list-rename': async (page) => {
    await openList('E-bike owners')(page, any)
    await page.getByRole('button', { name: 'Rename' }).click()
  },
  'list-add': async (page) => {
    await openList('E-bike owners')(page, any)
    await page.getByRole('combobox', { name: 'Add a contact' }).fill('an')
    await page.waitForTimeout(800)
  },
  'list-delete': async (page) => {
    await openList('E-bike owners')(page, any)
    await page.getByRole('button', { name: 'Delete list' }).click()
  },
  'list-gone': async (page) => {
    await page.goto(`/lists/lst_${'0'.repeat(32)}`)
    await page.getByText('This list is gone.').waitFor()
  },
  'not-found': async (page) => {
    await page.goto('/nothing/here')
    await page.getByText('There is nothing here').waitFor()
  },
}

function openContacts(path: string): ScreenState {
  return async (page) => {
    await page.goto(path)
    await page.getByRole('link', { name: /Marta Lindqvist/ }).waitFor()
    if (path.endsWith('new')) await page.getByLabel('First name').waitFor()
  }
}

async function openMarta(page: Page, look: typeof any): Promise<void> {
  await openContacts('/contacts')(page, look)
  await page.getByRole('link', { name: /Marta Lindqvist/ }).click()
  await page.getByLabel('First name').waitFor()
}

function openList(name: string): ScreenState {
  return async (page) => {
    await page.goto('/lists')
    await page
      .getByRole('link', { name: new RegExp(name) })
      .first()
      .click()
    await page.getByRole('heading', { name }).waitFor()
    await page.getByRole('row').nth(1).waitFor()
  }
}

async function openPalette(page: Page, text: string): Promise<void> {
  await page.goto('/contacts')
  await page.getByRole('link', { name: /Marta Lindqvist/ }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill(text)
  await page.waitForTimeout(800)
}
