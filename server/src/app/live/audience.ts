import type { LiveTopic } from '@patchbay/contract/app/live.ts'
import type { AccountId, ContactId } from '../../platform/ids.ts'
import { type HintTopic, isContact, named, readSign } from '../../platform/notify/hints.ts'
import { encode, type Stream } from './stream.ts'

/** The open streams of one account, and when each of its conversations was last announced to them. */
export type Audience = {
  readonly accountId: AccountId
  readonly streams: Set<Stream>
  /** Others in this process who want to know what changes; `conversations` tells them of any of it. */
  readonly followers: Set<Follower>
  tell: (changed: HintTopic[]) => void
  /** All of them fetch everything now. */
  noteFetched: () => void
  /** When this conversation was last announced, by the clock of this process. */
  announcedAt: (contactId: ContactId) => number
}

export type Follower = (changed: HintTopic[]) => void

/**
 * The first hint is passed on at once, and further ones of the next moment together: each write is encrypted for each
 * stream, and a browser fetches no faster anyway.
 */
const gatherMs = 250

/** Announcements are remembered for as long as `compare.ts` looks back, and no more of them than this. */
const rememberedMs = 60_000
const mostRemembered = 1_000

export function openAudience(accountId: AccountId): Audience {
  const streams = new Set<Stream>()
  const followers = new Set<Follower>()
  const announced = new Map<ContactId, number>()
  let allAt = performance.now()
  let gathered = new Set<HintTopic>()
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    timer = undefined
    if (gathered.size === 0) return
    const changed = named(gathered)
    gathered = new Set()
    const contactIds = changed.filter(isContact)
    const topics = changed.filter(isTopic)
    const event = encode({ kind: 'changes', contactIds, topics })
    for (const stream of streams) stream.write(event)
    timer = setTimeout(flush, gatherMs).unref()
  }

  function remember(changed: HintTopic[]): void {
    const now = performance.now()
    if (changed.includes('conversations')) rememberAll(now)
    for (const contactId of changed.filter(isContact)) {
      announced.delete(contactId) // so that the oldest is first
      announced.set(contactId, now)
    }
    if (announced.size > mostRemembered) {
      gathered.add('conversations')
      rememberAll(now)
    }
    for (const [contactId, at] of announced) {
      if (at > now - rememberedMs) break
      announced.delete(contactId)
    }
  }

  function rememberAll(at: number): void {
    allAt = at
    announced.clear()
  }

  return {
    accountId,
    streams,
    followers,
    tell: (changed) => {
      for (const follower of followers) follower(changed)
      tellTyping(streams, changed)
      for (const one of changed) if (one !== 'sessions' && !readSign(one)) gathered.add(one)
      remember(changed)
      if (timer === undefined) flush()
    },
    noteFetched: () => rememberAll(performance.now()),
    announcedAt: (contactId) => announced.get(contactId) ?? allAt,
  }
}

function isTopic(changed: HintTopic): changed is LiveTopic {
  return !isContact(changed) && changed !== 'sessions' && !readSign(changed)
}

/** At once, and each by itself: who writes says so again every few seconds. */
function tellTyping(streams: ReadonlySet<Stream>, changed: HintTopic[]): void {
  for (const read of streams.size > 0 ? changed.map(readSign) : []) {
    if (read?.sign !== 'visitor-writes') continue
    const event = encode({ kind: 'typing', contactId: read.contactId })
    for (const stream of streams) stream.write(event)
  }
}
