import { addStyle } from '../page/host.ts'
import { isRefused } from '../page/request.ts'
import type { Panel, Shell } from '../shell.ts'
import type { Source } from '../source/source.ts'
import { newState, type Pending } from '../state.ts'
import logCss from '../style/log.css?inline'
import panelCss from '../style/panel.css?inline'
import { makePanel, type PanelActs } from '../view/panel.ts'
import { openTimes } from '../view/times.ts'
import type { Words } from '../words/words.ts'
import { keepFocus, lockPage } from './cover.ts'
import { openMarking } from './marking.ts'
import { openReading, readOlder, takeOfLoader, takeOfTab, takeRefusal } from './reading.ts'
import { drop, openSending, type Sending, write } from './sending.ts'
import { act, type Talk } from './talk.ts'

type Given = { words: Words; source: Source }

/** Puts the panel into its place, closed. */
export function startPanel(shell: Shell, { words, source }: Given): Panel {
  addStyle(shell.root, panelCss + logCss)
  const { memory, settings, language } = shell
  const own = settings.words[language]
  const view = makePanel(
    {
      settings,
      words,
      times: openTimes(language),
      greeting: own?.greeting ?? '',
      privacy: own?.privacy ?? '',
      privacyUrl: own?.privacyUrl ?? null,
      draft: memory.tab.draft,
      origin: shell.origin,
      mayDelete: () => talk.state.hasBegun,
    },
    actsOf(() => ({ talk, sending })),
  )
  const pending = (memory.tab.pending as Pending[]).map((each) =>
    each.is === 'failed' ? each : { ...each, againAt: null },
  )
  const talk: Talk = {
    ...{ shell, source, words, view },
    state: newState(shell.state(), shell.memory.isKnown(), pending),
    ...{
      isAsleep: false,
      isRead: false,
      isPassing: false,
      unfollow: undefined,
      files: new Map(),
      typing: { isSaid: false },
    },
    drawn: () => marking.watch(),
    again: () => reading.again(),
    sent: (isFirst) => {
      sayIfPassing(talk)
      if (isFirst) reading.again()
      else reading.update()
      shell.watch.plan()
    },
    beginAnew: () => renew(true),
  }
  const marking = openMarking(talk)
  const reading = openReading(talk)
  const sending = openSending(talk)
  const renew = (keepsPending: boolean) => {
    marking.empty()
    empty(talk, keepsPending)
    reading.again()
    void sending.pump()
  }
  shell.place.append(view.element)
  return panelOf(talk, { update: reading.update, seen: marking.again, pump: sending.pump, renew })
}

type Live = { update: () => void; seen: () => void; pump: () => Promise<void>; renew: (keepsWritten: boolean) => void }

function panelOf(talk: Talk, { update, seen, pump, renew }: Live): Panel {
  const { shell, view } = talk
  const lock = lockPage()
  keepFocus(view.element, () => talk.state.isOpen && shell.isFull())
  return {
    open: (takesFocus) => {
      view.element.hidden = false
      view.opened()
      lock(shell.isFull())
      view.element.setAttribute('aria-modal', String(shell.isFull()))
      act(talk, { is: 'opened' })
      view.log.scrollTop = view.log.scrollHeight
      seen()
      if (takesFocus) view.area.focus({ preventScroll: true })
      update()
      void pump()
    },
    close: () => {
      act(talk, { is: 'closed' })
      view.element.hidden = true
      lock(false)
      update()
    },
    renew,
    hear: (word) => {
      if (word.is === 'message') takeOfTab(talk, word.message, word.before)
    },
    took: (page, after) => takeOfLoader(talk, page, after),
    refused: (error) => takeRefusal(talk, error),
    sleep: () => {
      talk.isAsleep = true
      update()
    },
    wake: () => {
      talk.isAsleep = false
      update()
      void pump()
    },
  }
}

/** As after its first opening, for whoever writes now. */
function empty(talk: Talk, keepsPending: boolean): void {
  const { shell, view, state } = talk
  const kept = keepsPending ? state.pending : []
  for (const { stop } of keepsPending ? [] : talk.files.values()) stop.abort()
  if (!keepsPending) {
    talk.files.clear()
    view.empty()
  }
  talk.isRead = false
  act(talk, { is: 'emptied', now: shell.state(), hasBegun: shell.memory.isKnown() })
  for (const pending of kept) act(talk, { is: 'written', pending })
}

/** Once: where nothing can be stored, or what was stored is gone, the chat is as long as the page. */
function sayIfPassing(talk: Talk): void {
  if (talk.isPassing || !talk.shell.memory.endsWithPage()) return
  talk.isPassing = true
  act(talk, { is: 'note', note: 'ends with page' })
}

const typingEveryMs = 5_000

function actsOf(live: () => { talk: Talk; sending: Sending }): PanelActs {
  let toldAt = 0
  const send = (written: Parameters<typeof write>[1]) => {
    const { talk, sending } = live()
    write(talk, written)
    void sending.pump()
  }
  return {
    close: () => live().talk.shell.close(),
    send: (text) => send({ text }),
    attach: (file) => send({ text: '', file }),
    choose: ({ id, title }) => {
      send({ text: title, choice: id })
      live().talk.view.area.focus()
    },
    mayAttach: () => {
      const { talk } = live()
      if (talk.state.messages.length > 0) return true
      talk.view.hint(talk.words.writeFirst)
      return false
    },
    typed: (text) => {
      const { talk } = live()
      talk.shell.memory.saveTab({ draft: text })
      if (text === '' || talk.state.now.by !== 'person' || Date.now() - toldAt < typingEveryMs) return
      toldAt = Date.now()
      talk.source.tellTyping().catch(() => {})
    },
    retry: (id) => live().sending.retry(id),
    drop: (id) => drop(live().talk, id),
    older: () => void readOlder(live().talk),
    keepEmail: (email) => void keepEmail(live().talk, email),
    remove: () => remove(live().talk),
  }
}

async function keepEmail(talk: Talk, email: string): Promise<void> {
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) return act(talk, { is: 'email', email: 'wrong' })
  act(talk, { is: 'email', email: 'keeping' })
  try {
    await talk.source.keepEmail(email)
    act(talk, { is: 'email', email: 'kept' })
    talk.view.say(talk.words.emailKept)
    talk.view.area.focus()
  } catch (error) {
    const isWrong = isRefused(error) && error.status === 400
    act(talk, { is: 'email', email: isWrong ? 'wrong' : 'failed' })
    if (!isWrong) talk.view.alert(talk.words.emailFailed)
  }
}

/** Nothing here is dropped before the shop has heard of it: what nobody was asked for would stay there. */
async function remove(talk: Talk): Promise<boolean> {
  try {
    const { is } = await talk.source.forget()
    talk.shell.leave()
    act(talk, { is: 'note', note: is === 'gone' ? 'deleted' : 'asked to delete' })
    return true
  } catch (error) {
    if (!isRefused(error) || error.reason !== 'ended') return false
    talk.shell.leave()
    act(talk, { is: 'note', note: 'deleted' }) // an answer was lost, or somebody else was first
    return true
  }
}
