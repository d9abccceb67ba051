import type { ScreenState, Shots } from './studio.ts'

export const any = { isPhone: false, isFirst: false, isLast: false }

export function openInbox(search: string): ScreenState {
  return async (page) => {
    await page.goto(`/inbox${search}`)
    await page.locator('.convo').first().waitFor()
  }
}

export function openConversation(name: string): ScreenState {
  return async (page) => {
    await openInbox('')(page, any)
    await page.getByRole('link', { name: new RegExp(name) }).click()
    await page.locator('.bubble').first().waitFor()
  }
}

/** While its answer is not here yet. */
export function loading(path: string, route: string): Shots[string] {
  return {
    enter: async (page) => {
      await page.route(route, () => {})
      await page.goto(path)
      await page.waitForTimeout(600)
    },
    after: async (page) => page.unrouteAll({ behavior: 'ignoreErrors' }),
  }
}

/** When the server failed. */
export function failing(path: string, route: string): Shots[string] {
  const json = { error: { code: 'INTERNAL', message: 'Internal error.' } }
  return {
    enter: async (page) => {
      await page.route(route, (call) => call.fulfill({ status: 500, json, headers: { 'x-request-id': '7f2c91' } }))
      await page.goto(path)
      await page.getByText('did not work on our side').waitFor({ timeout: 60_000 })
    },
    after: async (page) => page.unrouteAll({ behavior: 'ignoreErrors' }),
  }
}
