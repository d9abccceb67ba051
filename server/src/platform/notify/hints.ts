import type { LiveTopic } from '@patchbay/contract/app/live.ts'
import { sql } from 'kysely'
import type { Db } from '../database/db.ts'
import type { AccountId, ContactId } from '../ids.ts'
import type { Log } from '../log.ts'
import type { Channel, Listener } from './listen.ts'

/** A conversation by its contact, another part of what a screen shows, `sessions`: some of them may have ended, or a sign. */
export type HintTopic = ContactId | LiveTopic | 'sessions' | SignTopic

/**
 * What is told, stored nowhere, and may get lost: that somebody writes to a contact at this moment, or that the contact does; that nobody
 * new is to be taken from where the contact writes.
 */
const signs = ['bot-writes', 'person-writes', 'visitor-writes', 'bar-network'] as const
export type Sign = { sign: (typeof signs)[number]; contactId: ContactId }
type SignTopic = `${Sign['sign']}:${ContactId}`

export function readSign(topic: HintTopic): Sign | undefined {
  const [name, contactId] = topic.split(':')
  const sign = signs.find((one) => one === name)
  return sign && contactId?.startsWith('con_') ? { sign, contactId: contactId as ContactId } : undefined // one of our processes said it
}

/**
 * Says that something of an account has changed that a screen may show. To be called after the commit. It only gathers:
 * NOTIFY takes a lock that the whole database shares, and must not be in a statement that others wait for.
 */
export type Hint = (accountId: AccountId, changed: HintTopic) => void

/** Hints of one account, as they arrive in every process. */
type Hints = { accountId: AccountId; changed: HintTopic[] }

const channel: Channel = 'patchbay_live'

/** How long hints are gathered before they are sent. People do not notice it. */
const gatherMs = 50

/**
 * More conversations of one account in one sending are not named. So many fit into a payload: what follows conversations has to
 * look for those that are not named, which costs a hundred times as much as their names.
 */
const mostNamed = 200

/** More of them are not named to screens, which are told less often, and each by itself. */
const mostShown = 50

/** PostgreSQL takes payloads of less than 8,000 bytes. Ids and topics are ASCII. */
const mostPayload = 7_900

type HintSender = {
  hint: Hint
  flush: () => Promise<void>
  /** Sends what was gathered, and does not try again: a stopped listener never connects. */
  close: () => Promise<void>
}

/**
 * Sends hints to all processes. While there is no connection they are kept, which is bounded: an account has at most
 * `mostNamed` conversations and a few topics.
 */
export function openHints(listener: Listener, log: Log): HintSender {
  let gathered = new Map<AccountId, Set<HintTopic>>()
  let timer: NodeJS.Timeout | undefined
  let sending = Promise.resolve()
  let isClosed = false

  function hint(accountId: AccountId, changed: HintTopic): void {
    const ofAccount = gathered.getOrInsertComputed(accountId, () => new Set())
    if (ofAccount.size <= mostGathered) ofAccount.add(changed)
    else if (readSign(changed)) return
    else ofAccount.add(isContact(changed) ? 'conversations' : changed)
    timer ??= setTimeout(flush, gatherMs)
  }

  async function send(): Promise<void> {
    const sent = gathered
    if (sent.size === 0) return
    gathered = new Map()
    try {
      await listener.notify(channel, payloadsOf(sent))
    } catch (error) {
      const next = isClosed ? 'their screens look for it themselves' : 'trying again'
      log.warn({ reason: String(error) }, `could not tell other processes what changed; ${next}`)
      if (isClosed) return
      for (const [accountId, changed] of sent) for (const one of changed) hint(accountId, one)
      clearTimeout(timer)
      timer = setTimeout(flush, retryMs).unref()
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    sending = sending.then(send)
    return sending
  }

  function close(): Promise<void> {
    isClosed = true
    return flush()
  }

  return { hint, flush, close }
}

const retryMs = 1_000
/** All topics, and one conversation more than are named, to know that there are too many. */
const mostGathered = mostNamed + 10

export const isContact = (changed: HintTopic): changed is ContactId => changed.startsWith('con_')

/** Sends hints at once: for a command, which ends afterwards. */
export async function sendHints(db: Db, accountId: AccountId, changed: HintTopic[]): Promise<void> {
  const payloads = payloadsOf(new Map([[accountId, new Set(changed)]]))
  for (const payload of payloads) await sql`select pg_notify(${channel}, ${payload})`.execute(db)
}

/** An account and what changed in it, separated by spaces; in several lines where signs make it longer than a payload. */
function linesOf([accountId, changed]: [AccountId, Set<HintTopic>]): string[] {
  const lines: string[] = []
  let line: string = accountId
  for (const one of named(changed, mostNamed)) {
    if (line.length + one.length + 1 >= mostPayload) {
      lines.push(line)
      line = accountId
    }
    line += ` ${one}`
  }
  return [...lines, line]
}

/** Each payload has such lines. */
function payloadsOf(gathered: Map<AccountId, Set<HintTopic>>): string[] {
  const payloads: string[] = []
  let payload = ''
  for (const line of [...gathered].flatMap(linesOf)) {
    if (payload !== '' && payload.length + line.length >= mostPayload) {
      payloads.push(payload)
      payload = ''
    }
    payload += payload === '' ? line : `\n${line}`
  }
  return payload === '' ? payloads : [...payloads, payload]
}

/** Names conversations only if they are few. */
export function named(changed: ReadonlySet<HintTopic>, most = mostShown): HintTopic[] {
  const all = [...changed]
  const others = all.filter((one) => !isContact(one))
  if (others.includes('conversations')) return others
  return all.length - others.length > most ? [...others, 'conversations'] : all
}

type HintSubscriber = { hints: (hints: Hints) => void; listening: () => void }

/** Calls `hints` with those of all processes, and returns what ends it. */
export function listenForHints(listener: Listener, on: HintSubscriber): () => void {
  return listener.listen(channel, {
    onListening: on.listening,
    onNotification: (payload) => {
      for (const line of payload.split('\n')) {
        const [accountId, ...changed] = line.split(' ')
        on.hints({ accountId: accountId as AccountId, changed: changed as HintTopic[] }) // our own processes wrote it
      }
    },
  })
}
