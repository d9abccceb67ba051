import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../../platform/database/db.ts'
import { openFairShare } from '../../../platform/database/fair-share.ts'
import type { ContactId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import { readChat } from '../messages/chat-store.ts'
import type { UrlOf } from '../messages/show.ts'
import type { ChatRef } from '../visitors/visitor-store.ts'
import { type Listener, tell } from './listener.ts'

type Ctx = Readonly<{ db: Db; urlOf: (ref: ChatRef) => UrlOf; log: Log }>

/** Looks what is new for all windows of a contact, also for those that come while it looks. Resolves when it has. */
export type Look = (contactId: ContactId, listeners: () => ReadonlySet<Listener>) => Promise<void>

/** More came while a window was away: the rest follows, once these have left for it. Fewer than it may leave unread. */
const mostAtOnce = 8
const looks = { slots: 8, mostWaiting: 20_000, longestWaitMs: 30_000 }

/** One look at a time for a contact, which is one query; what is heard meanwhile makes another one. */
export function openLooks({ db, urlOf, log }: Ctx): Look {
  const underWay = new Map<ContactId, { isAgain: boolean }>()
  const share = openFairShare(looks)

  /** Returns whether there is more than was told. */
  async function lookOnce(listeners: Listener[]): Promise<boolean> {
    let hasMore = false
    for (const same of Map.groupBy(listeners, ({ ref }) => ref.channelId).values()) {
      const [first] = same
      if (!first) continue
      const after = Math.min(...same.map(({ last }) => last))
      const chat = await readChat(db, first.ref, { after, limit: mostAtOnce })
      for (const listener of same) tell(listener, chat, urlOf)
      if (chat?.messages.length === mostAtOnce) hasMore = true
    }
    return hasMore
  }

  return async (contactId, listeners) => {
    const [first] = listeners()
    if (!first) return
    const before = underWay.get(contactId)
    if (before) {
      before.isAgain = true
      return
    }
    const mine = { isAgain: true }
    underWay.set(contactId, mine)
    const work = async () => {
      while (mine.isAgain) {
        mine.isAgain = false
        if (!(await lookOnce([...listeners()]))) continue
        mine.isAgain = true
        await setImmediate()
      }
      underWay.delete(contactId) // at once: what is heard from now on is another look
    }
    await share(first.ref.accountId, work).catch((error) => {
      underWay.delete(contactId)
      log.warn({ reason: String(error) }, 'could not look what is new in a chat; its windows come again')
      for (const { stream } of listeners()) stream.end()
    })
  }
}
