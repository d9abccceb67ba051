import type { Page } from 'playwright-core'
import { any, openConversation, openInbox } from './screen-states.ts'
import type { ScreenState, Shots } from './studio.ts'

/** Website chat: its settings, its page, its conversations, and the chat itself on a page of the shop. */
export function chatShots(shopUrl: string): Shots {
  return {
    'chat-settings': async (page) => {
      await page.goto('/settings/website-chat')
      await page.getByLabel('Name on top').waitFor()
    },
    'chat-channel': async (page) => {
      await page.goto('/channels')
      await page.getByRole('link', { name: /localhost:\d+/ }).click()
      await page.getByRole('heading', { level: 1 }).waitFor()
    },
    'chat-conversation': openConversation('Elif Kaya'),
    // The one who has waited longest.
    'chat-conversation-email': async (page) => {
      await openInbox('')(page, any)
      await page
        .getByRole('link', { name: /Visitor/ })
        .first()
        .click()
      await page.locator('.bubble').first().waitFor()
    },
    'shop-closed': openShop(shopUrl),
    'shop-open': async (page, look) => {
      await openShop(shopUrl)(page, look)
      await openPanel(page)
    },
    'shop-said': {
      enter: async (page, look) => {
        await openShop(shopUrl)(page, look)
        await openPanel(page)
        if (!look.isFirst) return
        await write(page, 'Something for my bike')
        await page.getByRole('log').getByRole('button').first().waitFor()
      },
      after: async (page) => page.evaluate(() => sessionStorage.clear()),
    },
    'shop-right-to-left': async (page, look) => {
      await openShop(`${shopUrl}?lang=ar`)(page, look)
      await openPanel(page)
    },
  }
}

function openShop(url: string): ScreenState {
  return async (page) => {
    await page.goto(url)
    await launcher(page).waitFor()
  }
}

const launcher = (page: Page) => page.locator('#patchbay-chat .pbw-launch')

async function openPanel(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog')
  if (!(await dialog.isVisible())) await launcher(page).click()
  await dialog.waitFor()
}

async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('dialog').getByRole('textbox').fill(text)
  await page.keyboard.press('Enter')
}
