import type { ChatSettings, ChatState } from '@patchbay/contract/chat/protocol.ts'
import type { State } from '../state.ts'
import type { Words } from '../words/words.ts'
import { openAnnouncer } from './announce.ts'
import { makeEmailCard } from './ask-email.ts'
import { makeComposer } from './composer.ts'
import { icon, isolated, make } from './dom.ts'
import { openLog } from './log.ts'
import type { Drawing, RowActs } from './log-row.ts'
import { makePrivacy } from './privacy.ts'
import { rowsOf } from './rows.ts'
import type { Times } from './times.ts'

export type PanelActs = RowActs & {
  close: () => void
  send: (text: string) => void
  attach: (file: File) => void
  mayAttach: () => boolean
  typed: (text: string) => void
  keepEmail: (email: string) => void
  remove: () => Promise<boolean>
}

type Looks = {
  settings: ChatSettings
  words: Words
  times: Times
  greeting: string
  privacy: string
  privacyUrl: string | null
  draft: string
  origin: string
  mayDelete: () => boolean
}

export type PanelView = ReturnType<typeof makePanel>

/** The whole of the panel: it draws a state, and says what was done in it. */
export function makePanel({ settings, words, times, greeting, ...looks }: Looks, acts: PanelActs) {
  const { name } = settings
  const parts = makeParts({ settings, words, times, greeting, ...looks }, acts)
  const { element, log, line, notes, composer, email, privacy, jump, announcer } = parts
  const drawing: Drawing = { words, times, name, origin: looks.origin, acts, now: Date.now }
  const drawLog = openLog(log, drawing, email.element)
  let openedAt = Date.now()
  let newest = 0
  const isAtEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < 40
  log.addEventListener('scroll', () => jump.toggleAttribute('hidden', jump.hidden !== false || isAtEnd()), {
    passive: true,
  })
  return {
    element,
    log,
    area: composer.area,
    say: announcer.say,
    alert: announcer.alert,
    /** Beside the field, until something is written. */
    hint: (text: string) => {
      composer.hint(text)
      announcer.alert(text)
    },
    empty: () => {
      composer.area.value = ''
      composer.fit()
      privacy.hide()
      announcer.empty()
      jump.hidden = true
      newest = 0
    },
    opened: () => {
      openedAt = Date.now()
      composer.fit()
    },
    draw(state: State): void {
      const wasAtEnd = isAtEnd()
      const heightBefore = log.scrollHeight
      const firstBefore = log.querySelector('.pbw-item')
      line.textContent = headLine(state.now, { words, times })
      drawNotes(notes, state, words)
      composer.row.hidden = state.refusal === 'closed' || state.refusal === 'gone'
      if (state.email !== 'not asked') email.show(email.element, state.email)
      drawLog(rowsOf(state, { greeting, hasBot: settings.hasBot, openedAt, now: Date.now() }))
      // What was read stays where it is, when older messages come above it.
      if (wasAtEnd) log.scrollTop = log.scrollHeight
      else if (firstBefore !== log.querySelector('.pbw-item')) log.scrollTop += log.scrollHeight - heightBefore
      const { seq = 0, from } = state.messages.at(-1) ?? {}
      if (seq > newest && newest > 0 && from !== 'visitor' && !wasAtEnd) jump.hidden = false
      newest = seq
    },
  }
}

function makeParts(looks: Looks, acts: PanelActs) {
  const { settings, words } = looks
  const line = make('p', {})
  const close = make('button', { type: 'button', 'aria-label': words.close }, [icon('down')])
  close.addEventListener('click', acts.close)
  const title = make('h2', {}, [make('bdi', {}, [settings.name])])
  const head = make('header', { class: 'pbw-head' }, [make('div', {}, [title, line]), close])
  const log = make('div', {
    class: 'pbw-log',
    role: 'log',
    'aria-label': words.messages,
    'aria-live': 'off',
    tabindex: '0',
  })
  const notes = make('div', { role: 'status' })
  const announcer = openAnnouncer()
  const email = makeEmailCard(words, acts.keepEmail)
  const body: HTMLElement[] = []
  const cover = (isCovered: boolean) => {
    for (const each of body) each.toggleAttribute('inert', isCovered)
  }
  const back = () => {
    privacy.hide()
    cover(false)
    composer.link.focus()
  }
  const remove = async () => {
    const isDone = await acts.remove()
    if (isDone) back()
    return isDone
  }
  const { draft, privacy: sentence, privacyUrl: url, mayDelete } = looks
  const privacy = makePrivacy(
    words,
    { name: settings.name, url, deletes: settings.deletes, mayDelete },
    { back, remove },
  )
  const composer = makeComposer(
    words,
    { takesFiles: settings.takesFiles, privacy: sentence || words.keptBy(isolated(settings.name)), draft },
    {
      ...acts,
      privacy: () => {
        cover(true)
        privacy.show()
      },
    },
  )
  const jumpButton = make('button', { type: 'button' }, [words.newMessages])
  const jump = make('div', { class: 'pbw-jump', hidden: '' }, [jumpButton])
  jumpButton.addEventListener('click', () => {
    log.scrollTop = log.scrollHeight
    composer.area.focus()
  })
  body.push(log, jump, composer.element)
  const lower = make('div', { class: 'pbw-lower' }, [notes, ...body, privacy.element])
  const element = make(
    'section',
    { class: 'pbw-panel', role: 'dialog', 'aria-label': words.chatWith(settings.name), hidden: '' },
    [head, lower, ...announcer.elements],
  )
  return { element, log, line, notes, composer, email, privacy, jump, announcer }
}

/** Who answers, or from when somebody is there. */
function headLine(now: ChatState, { words, times }: Pick<Looks, 'words' | 'times'>): string {
  if (now.by === 'person') return now.name === null ? words.teamAnswersYou : words.answersYou(isolated(now.name))
  if (now.by === 'bot') return words.assistantAtOnce
  if (now.isOpen) return words.peopleAreHere
  return now.opensAt === null ? words.leaveMessage : words.peopleFrom(times.opening(now.opensAt, Date.now()))
}

function drawNotes(notes: HTMLElement, { isOffline, refusal }: State, words: Words): void {
  const said = isOffline ? words.noConnection : sayRefusal(refusal, words)
  if (notes.textContent === said) return
  const mark = icon(isOffline ? 'noNet' : 'info')
  notes.replaceChildren(...(said === '' ? [] : [make('div', { class: 'pbw-note' }, [mark, make('span', {}, [said])])]))
}

function sayRefusal(refusal: State['refusal'], words: Words): string {
  if (refusal === 'closed') return words.closed
  if (refusal === 'gone') return words.gone
  if (refusal === 'full') return words.veryMany
  return refusal === 'identity_expired' ? words.expired : ''
}
