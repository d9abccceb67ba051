import type { ChatPage, ChatSettings } from '@patchbay/contract/chat/protocol.ts'
import type { Panel, Shell } from '../shell.ts'
import { make } from '../view/dom.ts'
import { launcherWords } from '../words/launcher.ts'
import { openEvents, showApi } from './api.ts'
import { keepInPage, makeHost } from './host.ts'
import { stateByHours } from './hours.ts'
import { openIdentity } from './identity.ts'
import { chooseLanguage } from './language.ts'
import { dress, type Launcher, makeLauncher } from './launcher.ts'
import { openPanelLoader } from './load-panel.ts'
import { openMemory } from './memory.ts'
import { isRefused, openRequests } from './request.ts'
import { sayMissingPolicy } from './say-policy.ts'
import { openTabs, type TabWord } from './tabs.ts'
import { looksAtOnce, openWatch } from './watch.ts'

type Where = { origin: string; nonce: string }

/** What goes on in a page from its loading to its end, opened or not. */
type Page = {
  shell: Shell
  identity: ReturnType<typeof openIdentity>
  launcher: Launcher
  wrapper: HTMLElement
  load: () => Promise<Panel>
  /** Puts it into the page, once. */
  appear: () => void
  panel: Panel | undefined
  isOpen: boolean
  isReady: boolean
  hasFailed: boolean
  unread: number
  on: ReturnType<typeof openEvents>['on']
}

/** Too small for a panel beside the page: it covers the screen. */
const phone = matchMedia('(max-width: 479px), (max-height: 479px)')

export function startChat(settings: ChatSettings, { origin, nonce }: Where): void {
  const page = makePage(settings, { origin, nonce })
  const { shell, identity } = page
  showApi(
    settings.id,
    {
      identify: identity.identify,
      logout: () => {
        leave(page)
        identity.none()
      },
      open: () => open(page, navigator.userActivation ? navigator.userActivation.isActive : false),
      close: () => close(page),
      consent: (yes) => shell.memory.consent(yes === true),
    },
    page.on,
  )
  sayMissingPolicy(origin)
  whenIdle(() => begin(page))
}

/** After the page's own: nothing of ours keeps it from being shown. */
function whenIdle(act: () => void): void {
  const idle = () =>
    'requestIdleCallback' in window ? requestIdleCallback(act, { timeout: 2_000 }) : setTimeout(act, 200)
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', idle)
  else idle()
}

function makePage(settings: ChatSettings, { origin, nonce }: Where): Page {
  const language = chooseLanguage(settings.languages, document.documentElement.lang, navigator.languages)
  const memory = openMemory(settings.id, settings.keeps === 'year')
  const { tell, on } = openEvents()
  const request = openRequests(`${origin}/chat/${settings.id}/`)
  const tabs = openTabs(settings.id, (word) => hear(page, word))
  const identity = openIdentity({
    ...{ memory, request, tell, takesMembers: settings.members !== 'off' },
    changed: (isSame) => renew(page, isSame),
    leave: () => leave(page),
  })
  const { bearer } = identity
  const watch = openWatch({
    ...{ memory, tabs, request, bearer },
    took: (got, after) => took(page, got, after),
    refused: (error) => refused(page, error),
  })
  const { host, ...drawn } = drawCorner(settings, language, () => page)
  const shell: Shell = {
    ...{ settings, language, origin, root: host.root, place: drawn.place, memory, tabs, watch, request, bearer, tell },
    identity: identity.is,
    state: () => stateByHours(settings, Date.now()),
    end: new AbortController().signal,
    isFull: () => phone.matches,
    refresh: () => refresh(page),
    close: () => close(page),
    refuseToken: identity.refuse,
    leave: () => leave(page),
  }
  const load = openPanelLoader(shell, `${origin}/chat/${settings.panels[language]}`, nonce)
  let isThere = false
  const appear = () => {
    if (!isThere) keepInPage(host)
    isThere = true
  }
  const begun = { panel: undefined, isOpen: false, isReady: false, hasFailed: false, unread: 0 }
  const page: Page = { shell, identity, ...drawn, load, appear, on, ...begun }
  return page
}

function drawCorner(settings: ChatSettings, language: Shell['language'], page: () => Page) {
  const place = make('div', { class: 'pbw-place' })
  const launcher = makeLauncher(launcherWords[language], settings.name, {
    toggle: () => (page().isOpen ? close(page()) : open(page(), true)),
    open: () => open(page(), true),
    hide: () => {
      page().shell.memory.saveTab({ isQuiet: true })
      refresh(page())
      launcher.button.focus()
    },
  })
  const wrapper = make('div', {}, [place, launcher.element])
  dress(wrapper, settings, language)
  const host = makeHost()
  host.root.append(wrapper)
  return { host, place, launcher, wrapper }
}

function begin(page: Page): void {
  const { shell, wrapper } = page
  page.isReady = true
  wrapper.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || !page.isOpen) return
    close(page)
  })
  // What is typed here is for nobody else: to the page's own keys it would come from a plain element.
  for (const name of ['keydown', 'keypress', 'keyup'])
    wrapper.addEventListener(name, (event) => event.stopPropagation())
  phone.addEventListener('change', () => refresh(page))
  followLife(page)
  refresh(page)
  if (shell.memory.tab.isOpen && !phone.matches && isShown(page)) open(page, false)
  else if (shell.memory.hasUnsent() && isShown(page)) sendRest(page)
  shell.tell('ready', undefined)
  if (shell.memory.isKnown() && looksAtOnce(shell.memory.thread(), Date.now())) void shell.watch.look()
  else shell.watch.plan()
}

/** Another page of this tab was left before it was sent; it waits for no opening here. */
function sendRest(page: Page): void {
  page.load().then(
    (panel) => {
      page.panel = panel
      if (!page.isOpen) panel.wake()
    },
    () => {}, // the next page tries, or whoever opens the chat
  )
}

/** Everything that is open is closed while the page is away, so that it can come back as it was. */
function followLife(page: Page): void {
  const { tabs, watch, memory } = page.shell
  let isAway = false
  const sleep = () => {
    isAway = true
    tabs.close()
    if (page.panel) page.panel.sleep()
    watch.rest(true)
  }
  const wake = () => {
    if (!isAway) return
    isAway = false
    tabs.open()
    if (memory.isRemoved()) leave(page, true)
    watch.rest(false)
    if (page.panel) page.panel.wake()
    else if (memory.isKnown()) void watch.look()
  }
  window.addEventListener('pagehide', sleep)
  window.addEventListener('pageshow', wake)
  document.addEventListener('freeze', sleep)
  document.addEventListener('resume', wake)
  document.addEventListener('visibilitychange', () => watch.plan())
}

/** Not for strangers while it is paused, and for nobody unknown where the shop wants to know who writes. */
function isShown({ shell: { settings, memory }, identity }: Page): boolean {
  if (settings.members === 'must') return memory.isMember() && identity.is() !== 'refused'
  return !settings.isPaused || memory.thread() !== undefined
}

function refresh(page: Page): void {
  if (!page.isReady) return
  const { shell, launcher, wrapper, isOpen } = page
  const { memory, settings, language } = shell
  const thread = memory.thread()
  const words = settings.words[language]
  wrapper.hidden = !isShown(page)
  wrapper.classList.toggle('full', phone.matches)
  launcher.show({
    isOpen,
    isQuiet: !page.hasFailed && (memory.tab.isQuiet || (thread !== undefined && thread.at > 0)),
    isCovered: isOpen && phone.matches,
    unread: thread ? thread.unread : 0,
    greeting: page.hasFailed ? launcherWords[language].failed : words ? words.greeting : '',
    label: words ? words.button : '',
  })
  const unread = thread ? thread.unread : 0
  if (unread !== page.unread) {
    page.unread = unread
    shell.tell('unread', unread)
  }
  if (!wrapper.hidden) page.appear()
}

function open(page: Page, takesFocus: boolean): void {
  if (page.isOpen || !isShown(page)) return
  const { memory, tell } = page.shell
  page.isOpen = true
  page.hasFailed = false
  memory.saveTab({ isOpen: true, isQuiet: true })
  refresh(page)
  tell('open', undefined)
  page.load().then(
    (panel) => {
      page.panel = panel
      if (page.isOpen) panel.open(takesFocus)
    },
    () => {
      page.hasFailed = true
      close(page)
    },
  )
}

function close(page: Page): void {
  if (!page.isOpen) return
  const { memory, tell, root, place } = page.shell
  const hadFocus = place.contains(root.activeElement)
  page.isOpen = false
  memory.saveTab({ isOpen: false })
  if (page.panel) page.panel.close()
  refresh(page)
  if (hadFocus) page.launcher.button.focus()
  tell('close', undefined)
}

/** `keepsWritten`: it is the same one, who has a new token. */
function renew(page: Page, keepsWritten = false): void {
  if (page.panel) page.panel.renew(keepsWritten)
  refresh(page)
  page.shell.watch.plan()
}

/** `isToldByOther`: another tab has said so, and has told all others. */
function leave(page: Page, isToldByOther = false): void {
  const { memory, tabs } = page.shell
  memory.forget()
  if (!isToldByOther) tabs.say({ is: 'left' })
  renew(page)
  memory.forget() // the panel has noted that nothing is unsent
}

function hear(page: Page, word: TabWord): void {
  const { memory, watch } = page.shell
  const thread = memory.thread()
  if (word.is === 'left') {
    leave(page, true)
    if (page.identity.is() !== 'none') page.identity.none()
  }
  if (word.is === 'asked') watch.heard()
  if (word.is === 'read' && thread) memory.saveThread({ seen: Math.max(thread.seen, word.seen), unread: 0 })
  if (word.is === 'message' && thread) noteMessages(page, [word.message], thread.unread)
  if (page.panel) page.panel.hear(word)
  refresh(page)
}

type Messages = ChatPage['messages']

/** `known`: of what is unread, that which these are added to. */
function noteMessages({ shell: { memory } }: Page, messages: Messages, known: number): void {
  const thread = memory.thread()
  const newest = messages[messages.length - 1]
  if (!thread || !newest) return
  const fresh = messages.filter(({ from, seq }) => from !== 'visitor' && seq > thread.seen)
  memory.saveThread({
    at: Math.max(thread.at, newest.at),
    unread: known + fresh.length,
    waits: newest.from === 'visitor' ? newest.at : 0,
  })
}

function took(page: Page, got: ChatPage | null, after: number): void {
  const { memory } = page.shell
  const thread = memory.thread()
  if (thread && got && got.last < thread.seen) memory.saveThread({ seen: got.last }) // a restored copy
  if (thread && got && got.read > thread.seen) memory.saveThread({ seen: got.read })
  if (got) noteMessages(page, got.messages, 0)
  else memory.saveThread({ unread: 0 })
  if (got && page.panel) page.panel.took(got, after)
  refresh(page)
}

/** A key that is known no more is dropped; the rest is for the panel to say. */
function refused(page: Page, error: unknown): void {
  if (!isRefused(error)) return
  const { memory, refuseToken } = page.shell
  if (error.reason === 'ended') memory.forgetKey()
  if (error.reason === 'identity_expired') refuseToken('expired')
  if (error.reason === 'identity_refused') refuseToken('refused')
  if (page.panel) page.panel.refused(error)
  refresh(page)
}
