import { startTelegram, type TelegramDouble } from '../../../server/test/helpers/providers/telegram.ts'
import { addMember } from '../../../server/test/helpers/sessions.ts'
import { openSignedIn, type Site, startSite, type Window } from '../helpers/site.ts'

/** A site whose Telegram is a double, with a window of its owner. */
export type ChannelSite = AsyncDisposable & {
  telegram: TelegramDouble
  site: Site
  window: Window
  page: Window['page']
}

export async function openChannelSite(
  looks: Parameters<typeof openSignedIn>[1] = { width: 1440, height: 900 },
): Promise<ChannelSite> {
  const telegram = await startTelegram()
  const site = await startSite({ CHANNEL_ORIGINS: `telegram=${telegram.origin}` })
  const window = await openSignedIn(site, looks)
  return {
    ...{ telegram, site, window, page: window.page },
    async [Symbol.asyncDispose]() {
      await window[Symbol.asyncDispose]()
      await site[Symbol.asyncDispose]()
      await telegram[Symbol.asyncDispose]()
    },
  }
}

/** A window of somebody who is no owner. */
export async function openAsMember({ site }: ChannelSite): Promise<Window> {
  const userId = await addMember(site.app, site.account.accountId, 'mia@example.com')
  return openSignedIn({ ...site, account: { ...site.account, userId } })
}
