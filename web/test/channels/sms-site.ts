import { startEntrance } from '../../../server/test/helpers/providers/entrance.ts'
import { startTwilio, type TwilioDouble } from '../../../server/test/helpers/providers/twilio.ts'
import { openSignedIn, type Site, startSite, type Window } from '../helpers/site.ts'

/** A site whose Twilio is a double, which can call it, with a window of its owner. */
export type SmsSite = AsyncDisposable & { twilio: TwilioDouble; site: Site; window: Window; page: Window['page'] }

export async function openSmsSite({
  isPublic = true,
  ...looks
}: { isPublic?: boolean } & Partial<Parameters<typeof openSignedIn>[1]> = {}): Promise<SmsSite> {
  await using starting = new AsyncDisposableStack()
  const twilio = starting.use(await startTwilio())
  const entrance = starting.use(await startEntrance())
  const address = isPublic ? { PUBLIC_URL: entrance.url } : {}
  const site = starting.use(await startSite({ CHANNEL_ORIGINS: twilio.origins, ...address }))
  entrance.leadTo(site.app.url)
  const window = starting.use(await openSignedIn(site, { width: 1440, height: 900, ...looks }))
  const started = starting.move()
  return { twilio, site, window, page: window.page, [Symbol.asyncDispose]: () => started.disposeAsync() }
}
