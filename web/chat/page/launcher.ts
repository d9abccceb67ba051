import type { ChatSettings } from '@patchbay/contract/chat/protocol.ts'
import { icon, make } from '../view/dom.ts'
import type { LauncherWords } from '../words/launcher.ts'
import { inkOn } from './ink.ts'

export type Launcher = {
  element: HTMLElement
  button: HTMLButtonElement
  show: (looks: LauncherLooks) => void
}

type LauncherLooks = {
  isOpen: boolean
  /** Only the mark. */
  isQuiet: boolean
  unread: number
  /** It covers the screen, so there is nothing beside it. */
  isCovered: boolean
  greeting: string
  label: string
}

type Acts = { toggle: () => void; open: () => void; hide: () => void }

/** The button in the corner, by the name of the shop, with the first word above it until it was opened once. */
export function makeLauncher(words: LauncherWords, name: string, acts: Acts): Launcher {
  const button = make('button', { class: 'pbw-launch', type: 'button' }) as HTMLButtonElement
  button.addEventListener('click', acts.toggle)
  const tease = make('div', { class: 'pbw-tease' })
  const element = make('section', { class: 'pbw-corner', 'aria-label': name }, [tease, button])
  return {
    element,
    button,
    show: ({ isOpen, isQuiet, unread, isCovered, greeting, label }) => {
      element.hidden = isCovered
      const isRound = isOpen || isQuiet || label === ''
      const count = isOpen ? 0 : unread
      button.className = isRound ? 'pbw-launch round' : 'pbw-launch'
      button.setAttribute('aria-expanded', String(isOpen))
      const name = isOpen ? words.close : count > 0 ? words.openNew(count) : isRound ? words.open : ''
      if (name === '') button.removeAttribute('aria-label')
      else button.setAttribute('aria-label', name)
      button.replaceChildren(
        icon(isOpen ? 'down' : 'speech'),
        ...(isRound ? [] : [make('bdi', {}, [label])]),
        ...(count > 0 ? [make('span', { class: 'pbw-badge' }, [count > 99 ? '99+' : String(count)])] : []),
      )
      tease.hidden = isOpen || isQuiet || count > 0 || greeting === ''
      if (tease.hidden) tease.replaceChildren()
      else drawTease(tease, greeting, words, acts)
    },
  }
}

function drawTease(tease: HTMLElement, greeting: string, words: LauncherWords, acts: Acts): void {
  const text = make('span', { dir: 'auto' }, [greeting])
  text.addEventListener('click', acts.open)
  const hide = make('button', { type: 'button', 'aria-label': words.hide }, [icon('cross')])
  hide.addEventListener('click', acts.hide)
  tease.replaceChildren(text, hide)
}

/** Three values come from the settings: the colour, what reads better on it, and the scheme. */
export function dress(wrapper: HTMLElement, { colour, scheme, corner }: Looks, language: string): void {
  wrapper.className = 'pbw'
  wrapper.dir = language === 'ar' ? 'rtl' : 'ltr'
  wrapper.lang = language
  wrapper.dataset.scheme = scheme
  wrapper.dataset.corner = corner
  wrapper.style.setProperty('--pb-brand', colour)
  wrapper.style.setProperty('--pb-on-brand', inkOn(colour))
}

type Looks = Pick<ChatSettings, 'colour' | 'scheme' | 'corner'>
