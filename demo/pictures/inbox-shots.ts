import { any, failing, loading, openConversation, openInbox } from './screen-states.ts'
import type { Shots } from './studio.ts'

/** The inbox and its conversations. */
export const inboxShots: Shots = {
  inbox: openInbox(''),
  'inbox-unread': openInbox('?filter=unread'),
  'inbox-waiting': openInbox('?filter=waiting'),
  'inbox-failed': openInbox('?filter=failed'),
  'inbox-mine': openInbox('?filter=mine'),
  'inbox-closed': openInbox('?filter=closed'),
  'inbox-snoozed': openInbox('?filter=snoozed'),
  'inbox-tag': openInbox('?tag=freehub'),
  'inbox-filters': async (page) => {
    await openInbox('')(page, any)
    await page.getByRole('button', { name: /More filters/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'freehub' }).waitFor()
  },
  'inbox-search': async (page) => {
    await openInbox('')(page, any)
    await page.getByLabel('Search conversations').fill('ma')
    await page.waitForTimeout(800)
  },
  'inbox-search-none': async (page) => {
    await openInbox('')(page, any)
    await page.getByLabel('Search conversations').fill('zeppelin')
    await page.waitForTimeout(800)
  },
  conversation: openConversation('Marta Lindqvist'),
  'conversation-top': async (page) => {
    await openConversation('Marta Lindqvist')(page, any)
    await page.getByRole('log').evaluate((log) => log.scrollTo(0, 0))
  },
  'conversation-contact': {
    enter: async (page, { isPhone }) => {
      await openConversation('Marta Lindqvist')(page, any)
      if (isPhone) await page.keyboard.press(']')
    },
    after: async (page, { isPhone }) => {
      if (isPhone) await page.getByRole('button', { name: 'Close the contact' }).click()
    },
  },
  'conversation-menu': async (page) => {
    await openConversation('Marta Lindqvist')(page, any)
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menu').waitFor()
  },
  'conversation-note': async (page) => {
    await openConversation('Marta Lindqvist')(page, any)
    await page.getByRole('button', { name: 'Note', exact: true }).click()
    await page.getByLabel('Note for the team').fill('Ask Tom about the hub first')
  },
  'conversation-saved': {
    enter: async (page) => {
      await openConversation('Hannah Eze')(page, any)
      await page.getByLabel(/^Message to/).focus()
      await page.keyboard.type('/lo')
      await page.getByRole('option', { name: /location/ }).waitFor()
    },
    after: async (page) => page.getByLabel(/^Message to/).fill(''),
  },
  'saved-replies': async (page) => {
    await openInbox('')(page, any)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('saved repl')
    await page.getByRole('option', { name: /Saved replies/ }).click()
    await page.getByRole('dialog', { name: 'Saved replies' }).getByText('/loan').waitFor()
  },
  'conversation-snooze': async (page) => {
    await openConversation('Hannah Eze')(page, any)
    await page.getByRole('button', { name: 'Snooze', exact: true }).click()
    await page.getByRole('dialog').getByText('Tomorrow').waitFor()
  },
  'conversation-assign': async (page, { isPhone }) => {
    await openConversation('Hannah Eze')(page, any)
    if (isPhone) await page.getByRole('button', { name: 'More', exact: true }).click()
    else await page.keyboard.press('a')
    await page.getByRole('menu').waitFor()
  },
  'conversation-waiting': openConversation('Dev Patel'),
  'conversation-bot': openConversation('Tomasz Wrona'),
  'conversation-rtl': openConversation('ליאור'),
  'conversation-reaction': async (page) => {
    await openInbox('?filter=closed')(page, any)
    await page.getByRole('link', { name: /Adrian Townsend/ }).click()
    await page.locator('.bubble').first().waitFor()
  },
  'conversation-why': async (page) => {
    await openConversation('Tomasz Wrona')(page, any)
    await page.getByRole('button', { name: 'Why this answer' }).last().click()
    await page.getByRole('dialog').getByText('Engine').waitFor()
  },
  'conversation-why-person': async (page) => {
    await openConversation('Dev Patel')(page, any)
    await page.getByRole('button', { name: 'Why this answer' }).last().click()
    await page.getByRole('dialog').waitFor()
  },
  'conversation-gone': async (page) => {
    await page.goto(`/inbox/con_${'0'.repeat(32)}`)
    await page.getByText('This conversation is not here').first().waitFor()
  },
  'conversation-offline': {
    enter: async (page) => {
      await openConversation('Hannah Eze')(page, any)
      await page.context().setOffline(true)
      await page.getByLabel(/^Message to/).fill('See you on Saturday.')
      await page.getByLabel(/^Message to/).press('Enter')
      await page.getByText('No connection since').waitFor()
    },
    after: async (page) => {
      await page.evaluate(() => localStorage.clear())
      await page.goto('about:blank')
      await page.context().setOffline(false)
    },
  },
  'inbox-loading': loading('/inbox', '**/api/conversations*'),
  'inbox-error': failing('/inbox', '**/api/conversations*'),
}
