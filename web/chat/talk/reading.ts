import type { ChatEvents, ChatMessage, ChatPage, ChatRefusal, ChatState } from '@patchbay/contract/chat/protocol.ts'
import { bearerOfKey, subjectOf } from '../page/bearers.ts'
import { isRefused } from '../page/request.ts'
import type { FollowEvent } from '../source/source.ts'
import { lastOf } from '../state.ts'
import { authorOf } from '../view/log-row.ts'
import { act, type Talk } from './talk.ts'

const hiddenForMs = 30_000
const againMs = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000]

/**
 * Follows what happens while the panel is open, the page is seen and a chat has begun; else the loader asks now and then. To be
 * called whenever one of these has changed.
 */
export function openReading(talk: Talk) {
  let hiding: ReturnType<typeof setTimeout> | undefined
  let isHiddenForLong = false
  const update = () => {
    const { state, shell } = talk
    const isWanted =
      state.isOpen && !talk.isAsleep && !isHiddenForLong && shell.memory.isKnown() && state.refusal !== 'gone'
    if (isWanted === (talk.unfollow !== undefined)) return
    if (isWanted) talk.unfollow = start(talk)
    else stop(talk)
    shell.watch.rest(isWanted)
  }
  const seen = () => {
    clearTimeout(hiding)
    if (document.visibilityState === 'visible') isHiddenForLong = false
    else
      hiding = setTimeout(() => {
        isHiddenForLong = true
        update()
      }, hiddenForMs)
    update()
  }
  document.addEventListener('visibilitychange', seen, { signal: talk.shell.end })
  const again = () => {
    stop(talk)
    update()
  }
  return { update, again }
}

function stop(talk: Talk): void {
  talk.unfollow?.()
  talk.unfollow = undefined
}

/** Reads what is there, then follows: what comes in between is brought by its number. */
function start(talk: Talk): () => void {
  let isStopped = false
  let unfollow = () => {}
  const isOver = () => isStopped
  void readFirst(talk, isOver).then(() => {
    if (isStopped) return
    unfollow = talk.source.follow({
      after: () => lastOf(talk.state),
      event: (event) => happened(talk, event),
      page: (page) => takePage(talk, page),
      reached: (isReached) => act(talk, { is: 'reached', isReached }),
      refused: (error) => takeRefusal(talk, error),
    })
  })
  return () => {
    isStopped = true
    unfollow()
  }
}

async function readFirst(talk: Talk, isOver: () => boolean): Promise<void> {
  if (talk.isRead) return
  act(talk, { is: 'loading' })
  for (let attempt = 0; !isOver(); attempt += 1) {
    try {
      const page = await talk.source.read('newest')
      if (isOver()) return
      talk.isRead = true
      if (page) act(talk, { is: 'page', page })
      else act(talk, { is: 'refused', reason: null })
      act(talk, { is: 'reached', isReached: true })
      afterPage(talk, page)
      return await readFold(talk)
    } catch (error) {
      if (isOver()) return
      if (isRefused(error) && error.status < 500) {
        takeRefusal(talk, error)
        return
      }
      act(talk, { is: 'reached', isReached: false })
      await new Promise((done) => setTimeout(done, againMs[Math.min(attempt, againMs.length - 1)]))
    }
  }
}

/** Of a member, what this browser wrote before they signed in: only for the one under whom it was first shown. */
async function readFold(talk: Talk): Promise<void> {
  const { memory } = talk.shell
  const key = memory.isMember() ? memory.key() : undefined
  if (key === undefined || (memory.under() !== '' && memory.under() !== subjectOf(memory.tab.token))) return
  const page = await talk.source.read('newest', `${talk.shell.bearer()} ${bearerOfKey(key)}`).catch(() => null)
  if (!page || page.messages.length === 0 || memory.key() !== key) return
  memory.makeKey(subjectOf(memory.tab.token)) // it was shown to them, and is to nobody after
  act(talk, { is: 'fold', messages: page.messages })
}

export async function readOlder(talk: Talk): Promise<void> {
  const [first] = talk.state.messages
  if (!first || talk.state.isLoading) return
  act(talk, { is: 'loading' })
  const page = await talk.source.read({ before: first.seq }).catch(() => undefined)
  if (page === undefined) act(talk, { is: 'refused', reason: talk.state.refusal })
  else act(talk, { is: 'older', page })
}

const onEvent: { [Name in FollowEvent['name']]: (talk: Talk, data: ChatEvents[Name]) => void } = {
  hello: greeted,
  message: (talk, message) => arrived(talk, [message]),
  line: (talk, line) => act(talk, { is: 'line', line }),
  state: takeState,
  typing: startTyping,
  reset: startAnew,
  end: (talk, { why }) => takeReason(talk, why),
}

/** A newer server may tell of what this panel does not know. */
function happened(talk: Talk, { name, data }: FollowEvent): void {
  const take = Object.hasOwn(onEvent, name) ? (onEvent[name] as (talk: Talk, data: unknown) => void) : undefined
  take?.(talk, data)
}

/** A restored copy is behind what was shown here, or another installation: what came after it never happened there. */
function greeted(talk: Talk, { installation, state, last }: { installation: string; state: ChatState; last: number }) {
  const isOther = talk.state.installation !== null && talk.state.installation !== installation
  if (isOther || last < lastOf(talk.state)) {
    startAnew(talk)
    return
  }
  act(talk, { is: 'state', now: state, installation })
  askEmail(talk)
}

function takeState(talk: Talk, now: ChatState): void {
  act(talk, { is: 'state', now })
  askEmail(talk)
}

function startAnew(talk: Talk): void {
  talk.isRead = false
  talk.shell.memory.saveThread({ seen: 0, unread: 0 })
  const { pending } = talk.state
  act(talk, { is: 'emptied', now: talk.shell.state(), hasBegun: true })
  for (const each of pending) act(talk, { is: 'written', pending: each })
  talk.again()
}

function takePage(talk: Talk, page: ChatPage): void {
  const last = lastOf(talk.state)
  const isOther = talk.state.installation !== null && talk.state.installation !== page.installation
  if (isOther || page.last < last) {
    startAnew(talk)
    return
  }
  act(talk, { is: 'page', page })
  announce(
    talk,
    page.messages.filter(({ seq }) => seq > last),
  )
  afterPage(talk, page)
}

function afterPage(talk: Talk, page: ChatPage | null): void {
  const { memory } = talk.shell
  const thread = memory.thread()
  if (page && thread && page.read > thread.seen) memory.saveThread({ seen: page.read })
  askEmail(talk)
}

function askEmail(talk: Talk): void {
  const { now, hasBegun } = talk.state
  if (now.mayAskEmail && hasBegun && talk.shell.settings.asksEmail) act(talk, { is: 'asks email' })
}

/** What came over the stream: other tabs of this browser are told, which need not ask for it then. */
function arrived(talk: Talk, messages: ChatMessage[]): void {
  for (const message of messages) {
    const before = lastOf(talk.state)
    const isNew = message.seq > before
    act(talk, { is: 'message', message })
    if (!isNew) continue
    announce(talk, [message])
    noteActivity(talk, message)
    talk.shell.tabs.say({ is: 'message', message, before })
  }
}

function noteActivity({ shell: { memory } }: Talk, { at, from }: ChatMessage): void {
  memory.saveThread({ at, waits: from === 'visitor' ? Date.now() : 0 })
}

/** As much as one answer holds: if nothing is missing between it and what is here. */
export function takeOfLoader(talk: Talk, page: ChatPage, after: number): void {
  const last = lastOf(talk.state)
  const end = page.messages.at(-1)?.seq ?? after
  if (talk.isRead && (page.last < last || (after <= last && last <= end))) takePage(talk, page)
}

/** Of another tab, if nothing is missing between it and what is here. */
export function takeOfTab(talk: Talk, message: ChatMessage, before: number): void {
  if (!talk.isRead || lastOf(talk.state) < before) return
  act(talk, { is: 'message', message })
}

function announce(talk: Talk, messages: readonly ChatMessage[]): void {
  const { state, words, view } = talk
  const theirs = messages.filter(({ from }) => from !== 'visitor')
  if (!state.isOpen || theirs.length === 0) return
  talk.typing.isSaid = false
  for (const message of theirs) view.say(`${authorOf(message, words)}: ${message.text || message.file?.name || ''}`)
}

function startTyping(talk: Talk, { forMs, by }: { forMs: number; by: 'bot' | 'person' }): void {
  const until = Date.now() + Math.min(forMs, 60_000)
  act(talk, { is: 'typing', by, until })
  setTimeout(() => act(talk, { is: 'typing over', at: Date.now() }), until - Date.now() + 20)
  if (talk.typing.isSaid || !talk.state.isOpen) return
  talk.typing.isSaid = true
  talk.view.say(talk.words.isWriting(by === 'bot' ? talk.words.assistant : (talk.state.now.name ?? talk.words.team)))
}

export function takeRefusal(talk: Talk, error: unknown): void {
  if (!isRefused(error)) return
  takeReason(talk, error.reason ?? (error.status === 404 ? 'gone' : error.status === 403 ? 'closed' : 'slow down'))
}

/** Known no more: the chat begins anew. All else is said, and what is written stays. */
export function takeReason(talk: Talk, reason: ChatRefusal): void {
  const { shell, view, words } = talk
  if (reason === 'slow down') return
  if (reason === 'ended') {
    if (!shell.memory.isKnown() && !talk.state.hasBegun) return
    if (!shell.memory.isMember()) shell.memory.forgetKey()
    talk.beginAnew()
    return
  }
  if (reason === 'identity_refused' || reason === 'identity_wanted') {
    shell.refuseToken('refused')
    return
  }
  if (reason === 'identity_expired') shell.refuseToken('expired')
  if (reason === 'closed' || reason === 'gone') view.alert(words[reason])
  act(talk, { is: 'refused', reason })
}
