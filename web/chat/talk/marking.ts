import type { ChatMarks } from '@patchbay/contract/chat/protocol.ts'
import { marksOf } from '../state.ts'
import type { Talk } from './talk.ts'

const inViewMs = 1_000
const togetherMs = 2_000

/**
 * Says which messages have arrived here, and which were read: those that have been in view for a second, in an open panel of a
 * page that is seen.
 */
export function openMarking(talk: Talk) {
  const timers = new Map<Element, ReturnType<typeof setTimeout>>()
  const teller = openTeller(talk)
  const isSeen = () => talk.state.isOpen && !talk.isAsleep && document.visibilityState === 'visible'
  const inView = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        clearTimeout(timers.get(target))
        if (isIntersecting)
          timers.set(
            target,
            setTimeout(() => isSeen() && read(target), inViewMs),
          )
      }
    },
    { root: talk.view.log, threshold: 0.1 },
  )
  const read = (element: Element) => {
    inView.unobserve(element)
    timers.delete(element)
    noteRead(talk, Number(element.getAttribute('data-seq')))
    teller.plan()
  }
  const watch = () => {
    for (const element of talk.view.log.querySelectorAll('.pbw-item.shop[data-seq]:not([data-watched])')) {
      element.setAttribute('data-watched', '')
      inView.observe(element)
    }
    teller.plan()
  }
  const again = () => {
    if (document.visibilityState !== 'visible') return
    for (const element of talk.view.log.querySelectorAll('[data-watched]')) element.removeAttribute('data-watched')
    inView.disconnect()
    watch()
  }
  document.addEventListener('visibilitychange', again, { signal: talk.shell.end })
  return {
    watch,
    /** Also when the panel is opened again: what was in view before has not been seen for a second. */
    again,
    empty: () => {
      teller.empty()
      inView.disconnect()
    },
  }
}

function noteRead({ state, shell: { memory, tabs, refresh } }: Talk, seq: number): void {
  const thread = memory.thread()
  if (!thread || seq <= thread.seen) return
  const unread = state.messages.filter((message) => message.from !== 'visitor' && message.seq > seq).length
  memory.saveThread({ seen: seq, unread })
  tabs.say({ is: 'read', seen: seq })
  refresh()
}

/** Tells the server, some at once: what is later includes what was earlier. */
function openTeller(talk: Talk) {
  const none: ChatMarks = { delivered: 0, read: 0 }
  let said = none
  let timer: ReturnType<typeof setTimeout> | undefined
  const say = async () => {
    timer = undefined
    const marks = marksOf(talk.state, seenOf(talk))
    if (talk.isAsleep || (marks.delivered <= said.delivered && marks.read <= said.read)) return
    const asking = talk.shell.bearer()
    try {
      await talk.source.mark(marks)
      if (talk.shell.bearer() === asking) said = marks
    } catch {
      // With the next ones.
    }
  }
  return {
    plan: () => {
      const { delivered, read } = marksOf(talk.state, seenOf(talk))
      const isNews = delivered > said.delivered || read > said.read
      if (isNews && timer === undefined) timer = setTimeout(() => void say(), togetherMs)
    },
    empty: () => {
      said = none
    },
  }
}

function seenOf({ shell: { memory } }: Talk): number {
  return memory.thread()?.seen ?? 0
}
