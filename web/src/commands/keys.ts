import { createKeptStore } from '../data/store.ts'
import { type Command, registeredCommands } from './commands.ts'

/** Single letters can be switched off, for those who speak to their computer (WCAG 2.1.4). */
export const letterKeys = createKeptStore('letter-keys', ['on', 'off'])

/** How long the second key of a pair may take. */
const pairWithinMs = 1_200

/** Selects what opens over or beside the page. */
const overlays = '[role="dialog"], [role="menu"], [role="listbox"]'

export function watchKeys(): void {
  let first: { press: string; at: number } | undefined
  // Looked for before anybody has heard of the key: what Escape closes is gone by the time it arrives here.
  let hadOverlay = false
  window.addEventListener('keydown', () => (hadOverlay = document.querySelector(overlays) !== null), { capture: true })
  window.addEventListener('keydown', (event) => {
    const press = pressOf(event)
    if (event.defaultPrevented || press === undefined || (press === 'Escape' && hadOverlay)) return
    if (!isCombination(press) && (isTyping(event.target) || letterKeys.get() === 'off')) return
    const pair = first && event.timeStamp - first.at < pairWithinMs ? `${first.press} ${press}` : undefined
    first = undefined
    const command = findCommand(pair) ?? findCommand(press)
    if (command) {
      event.preventDefault()
      command.run()
    } else if (registeredCommands.get().some((each) => each.some(({ keys }) => keys?.startsWith(`${press} `)))) {
      first = { press, at: event.timeStamp }
    }
  })
}

function findCommand(press: string | undefined): Command | undefined {
  if (press === undefined) return undefined
  return registeredCommands
    .get()
    .flat()
    .findLast(({ keys }) => keys === press)
}

function isCombination(press: string): boolean {
  return press.startsWith('Mod+') || press === 'Escape' || press === 'F6'
}

/**
 * Names a key that is pressed: letters in lower case whatever Caps Lock says; Shift only with letters, as signs need it
 * on some keyboards.
 */
export function pressOf(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'isComposing'>,
): string | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing } = event
  if (isComposing || altKey || key === 'Shift' || key === 'Control' || key === 'Meta') return undefined
  const isLetter = /^\p{L}$/u.test(key)
  const name = isLetter ? key.toLowerCase() : key
  const withShift = shiftKey && isLetter ? `Shift+${name}` : name
  return ctrlKey || metaKey ? `Mod+${withShift}` : withShift
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target.closest('[role="dialog"][aria-modal="true"], [role="menu"], [role="listbox"]'))
    return true
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button|submit|range)$/.test(target.type)
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
}
