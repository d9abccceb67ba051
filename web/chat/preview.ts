import type { ChatLanguage, ChatSettings, ChatState } from '@patchbay/contract/chat/protocol.ts'
import { makeHost } from './page/host.ts'
import { stateByHours } from './page/hours.ts'
import { dress, makeLauncher } from './page/launcher.ts'
import { openMemory } from './page/memory.ts'
import type { Panel, Shell } from './shell.ts'
import { openSamples } from './source/samples.ts'
import { startPanel } from './talk/start-panel.ts'
import { make } from './view/dom.ts'
import { launcherWords } from './words/launcher.ts'
import type { Words } from './words/words.ts'

/** `settings.scheme` decides how it looks: the preview knows no visitor. */
export type PreviewLooks = {
  settings: ChatSettings
  language: ChatLanguage
  /** `phone`: open, over all of the element. */
  view: 'open' | 'closed' | 'phone'
  /** `now`: by the hours and the bot. `nobody`: a question waits for a person who is not there. */
  there: 'now' | 'nobody'
}

export type Preview = { show: (looks: PreviewLooks) => void; remove: () => void }

const wordsOf: Record<ChatLanguage, () => Promise<{ words: Words }>> = {
  en: () => import('./words/en.ts'),
  de: () => import('./words/de.ts'),
  fr: () => import('./words/fr.ts'),
  es: () => import('./words/es.ts'),
  ar: () => import('./words/ar.ts'),
}

/**
 * The real chat in an element of the app, with samples in place of a server: it asks for nothing, keeps nothing and sends
 * nothing. The element has a size of its own.
 */
export function mountPreview(element: HTMLElement, first: PreviewLooks): Preview {
  let shown: { key: string; wrapper: HTMLElement; end: AbortController } | undefined
  const remove = () => {
    shown?.end.abort()
    shown = undefined
    element.replaceChildren()
  }
  const show = (looks: PreviewLooks) => {
    const { colour, scheme, ...others } = looks.settings
    const key = JSON.stringify({ ...looks, settings: others })
    if (shown?.key === key) return dress(shown.wrapper, { ...looks.settings, colour, scheme }, looks.language)
    remove()
    const end = new AbortController()
    shown = { key, end, wrapper: mount(element, looks, end.signal) }
  }
  show(first)
  return { show, remove }
}

function mount(element: HTMLElement, looks: PreviewLooks, end: AbortSignal): HTMLElement {
  const { settings, language, view } = looks
  const isFull = view === 'phone'
  const { element: hostElement, root } = makeHost()
  const stage = makeStage(element, hostElement)
  const [place, own] = [make('div', { class: 'pbw-place' }), settings.words[language]]
  let isOpen = false
  let panel: Panel | undefined
  const refresh = () =>
    launcher.show({
      ...{ isOpen, isQuiet: false, isCovered: isOpen && isFull, unread: 0 },
      ...{ greeting: own?.greeting ?? '', label: own?.button ?? '' },
    })
  const setOpen = (opens: boolean) => {
    isOpen = opens
    refresh()
    if (opens) panel?.open(false)
    else panel?.close()
  }
  const toggle = () => setOpen(!isOpen)
  const launcher = makeLauncher(launcherWords[language], settings.name, { toggle, open: toggle, hide: () => {} })
  const wrapper = make('div', {}, [place, launcher.element])
  dress(wrapper, settings, language)
  wrapper.classList.toggle('full', isFull)
  root.append(wrapper)
  const shell = makeShell(looks, { root, place, end, isFull, close: () => setOpen(false) })
  void wordsOf[language]().then(({ words }) => {
    if (end.aborted) return
    const later = (act: () => void, ms: number) => void setTimeout(() => end.aborted || act(), ms)
    panel = startPanel(shell, { words, source: openSamples({ language, state: shell.state, later }) })
    setOpen(view !== 'closed')
  })
  refresh()
  element.replaceChildren(stage)
  return wrapper
}

/** What is fixed to the window stays in here: it is fixed to whatever contains layout. */
function makeStage(element: HTMLElement, host: HTMLElement): HTMLElement {
  const stage = make('div', {}, [host])
  const { style } = stage
  for (const [name, value] of [
    ['position', 'relative'],
    ['height', '100%'],
    ['overflow', 'hidden'],
    ['contain', 'layout paint'],
    ['--pb-screen-width', `${element.clientWidth}px`],
    ['--pb-screen-height', `${element.clientHeight}px`],
  ] as const)
    style.setProperty(name, value)
  return stage
}

type Made = { root: ShadowRoot; place: HTMLElement; end: AbortSignal; isFull: boolean; close: () => void }

function makeShell({ settings, language, there }: PreviewLooks, { root, place, end, isFull, close }: Made): Shell {
  const memory = openMemory('preview', true, { lasting: passingStorage(), passing: passingStorage() })
  memory.makeKey('')
  memory.saveThread({ isKnown: true }) // there are samples to read
  const nothing = () => {}
  return {
    ...{ settings, language, origin: location.origin, root, place, memory, end, close },
    tabs: { say: nothing, open: nothing, close: nothing },
    watch: { look: async () => {}, plan: nothing, heard: nothing, rest: nothing },
    request: () => Promise.reject(new Error('the preview asks for nothing')),
    bearer: () => 'preview',
    identity: () => 'none',
    state: () => (there === 'now' ? stateByHours(settings, Date.now()) : stateOfNobody(settings, Date.now())),
    tell: nothing,
    refresh: nothing,
    isFull: () => isFull,
    refuseToken: nothing,
    leave: nothing,
  }
}

/** Outside the hours, until they begin again; where people answer always, they are only late. */
function stateOfNobody(settings: ChatSettings, now: number): ChatState {
  const { hours, asksEmail } = settings
  const [opensAt = null] = hours?.find(([from]) => from > now) ?? []
  return { by: 'nobody', name: null, isOpen: hours === null, opensAt, mayAskEmail: asksEmail }
}

/** As long as the preview. */
function passingStorage(): () => Storage {
  const values = new Map<string, string>()
  const storage = {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
    removeItem: (name: string) => void values.delete(name),
  }
  return () => storage as unknown as Storage
}
