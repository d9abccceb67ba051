import type { AlertState } from '@patchbay/contract/app/alerts.ts'
import { call } from '../data/api.ts'
import { leading, onHint } from '../data/live.ts'
import { noticeWords as words } from '../settings/alerts/words.ts'
import { freshIn, type KnownAlerts } from './fresh.ts'
import { keepKnown, latestKnown } from './known-alerts.ts'
import { readQuiet } from './quiet.ts'
import { openShown } from './shown.ts'

/** However many hints come, the state is fetched no more often than this. */
const pauseMs = 1_000

/** How often the state is looked at for what no hint is sent for, such as ten minutes that are over. */
const lookMs = 60_000

/** More than so many conversations at once are one notification. */
const mostNamed = 3

/** Notifies of what begins, while this tab leads those of the browser. `go` opens a page of the app. */
export function startNotices(userId: string, go: (path: string) => void): () => void {
  const shown = openShown(userId)
  let known: KnownAlerts | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isEnded = false

  async function look(): Promise<void> {
    timer = undefined
    if (!leading.get() || Notification.permission !== 'granted') return
    const state = await call('GET /api/alerts/state').catch(() => undefined) // the next hint or look fetches it
    if (!state || isEnded) return
    const fresh = freshIn(state, latestKnown(userId, known), Date.now())
    known = fresh.known
    keepKnown(userId, known) // before it is said: said twice is worse than not at all
    const quiet = readQuiet()
    const open = fresh.waiting.length === 0 ? [] : await shown.ask()
    const waiting = quiet.includes('waiting') ? [] : fresh.waiting.filter(({ contactId }) => !open.includes(contactId))
    sayWaiting(waiting, go)
    for (const trouble of fresh.troubles) if (!quiet.includes(trouble.condition)) sayTrouble(trouble, go)
  }

  const soon = () => {
    timer ??= setTimeout(() => void look(), pauseMs)
  }
  const stops = [onHint(soon), leading.subscribe(soon)]
  const looking = setInterval(soon, lookMs)
  soon()
  return () => {
    isEnded = true
    for (const stop of stops) stop()
    clearInterval(looking)
    clearTimeout(timer)
    shown.close()
  }
}

type Go = (path: string) => void

function sayWaiting(waiting: AlertState['waiting'], go: Go): void {
  if (waiting.length > mostNamed) {
    say(words.wait(waiting.length), { tag: 'waiting', path: '/inbox?filter=waiting', go })
    return
  }
  for (const { contactId, name } of waiting) {
    say(words.waits(name), { tag: contactId, path: `/inbox/${contactId}?filter=waiting`, go })
  }
}

function sayTrouble({ condition, key, subject, name }: AlertState['troubles'][number], go: Go): void {
  const said = {
    receiver: { title: words.receiver(subject), path: receiverPages[subject] ?? '/settings/webhook' },
    bot: { title: words.bot(name), path: `/campaigns/${subject}` },
    credits: { title: words.credits, path: '/settings/credits' },
    channel: { title: words.channel(name), path: `/channels/${subject}` },
    broadcast: { title: words.broadcast(name), path: `/broadcasts/${subject}` },
  }[condition]
  say(said.title, { tag: key, path: said.path, go })
}

const receiverPages: Record<string, string> = { recharge: '/agency/recharge', alert: '/settings/alerts' }

/** Shows a notification. One with the same tag takes the place of the one before. */
function say(title: string, { tag, path, go }: { tag: string; path: string; go: Go }): void {
  const notification = new Notification(title, { tag })
  notification.onclick = () => {
    window.focus()
    notification.close()
    go(path)
  }
}
