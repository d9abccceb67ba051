import { useEffect, useRef } from 'react'
import { createKeptStore, createStore } from '../data/store.ts'

/**
 * A key and what it does. `press` is a letter or sign ("j", "?", "/", "Shift+r"), two of them one after the other ("g i"),
 * or a combination with Ctrl, on a Mac ⌘ ("Mod+k").
 */
export type Key = {
  press: string
  /** For the list of keys. */
  does: string
  /** Its heading there. */
  group: string
  run: (event: KeyboardEvent) => void
}

const registered = createStore<readonly (readonly Key[])[]>([])

/** The keys of a screen, while it is shown; of two with the same key the one registered last is run. */
export function useKeys(keys: readonly Key[]): void {
  const latest = useRef(keys)
  latest.current = keys
  const shape = JSON.stringify(keys.map(({ press, does, group }) => [press, does, group]))
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` stands for the keys; what they run is read when pressed
  useEffect(() => {
    const mine = latest.current.map((key, index) => ({
      ...key,
      run: (event: KeyboardEvent) => latest.current[index]?.run(event),
    }))
    registered.set([...registered.get(), mine])
    return () => registered.set(registered.get().filter((keys) => keys !== mine))
  }, [shape])
}

/** All keys that work now, for the list of keys. */
export function keysNow(): Key[] {
  return registered.get().flat()
}

/** Single letters can be switched off, for those who speak to their computer (WCAG 2.1.4). */
export const letterKeys = createKeptStore('letter-keys', ['on', 'off'])

/** How long the second key of a pair may take. */
const pairWithinMs = 1_200

/** What opens over or beside the page. */
const floats = '[role="dialog"], [role="menu"], [role="listbox"]'

export function watchKeys(): void {
  let first: { press: string; at: number } | undefined
  // Looked for before anybody has heard of the key: what Escape closes is gone by the time it arrives here.
  let hadFloat = false
  window.addEventListener('keydown', () => (hadFloat = document.querySelector(floats) !== null), { capture: true })
  window.addEventListener('keydown', (event) => {
    const press = pressOf(event)
    if (event.defaultPrevented || press === undefined || (press === 'Escape' && hadFloat)) return
    if (!isCombination(press) && (isTyping(event.target) || letterKeys.get() === 'off')) return
    const pair = first && event.timeStamp - first.at < pairWithinMs ? `${first.press} ${press}` : undefined
    first = undefined
    const key = findKey(pair) ?? findKey(press)
    if (key) {
      event.preventDefault()
      key.run(event)
    } else if (keysNow().some((each) => each.press.startsWith(`${press} `))) {
      first = { press, at: event.timeStamp }
    }
  })
}

function findKey(press: string | undefined): Key | undefined {
  return press === undefined ? undefined : keysNow().findLast((key) => key.press === press)
}

function isCombination(press: string): boolean {
  return press.startsWith('Mod+') || press === 'Escape' || press === 'F6'
}

/** Letters in lower case whatever Caps Lock says; Shift is named only with letters, as signs need it on some keyboards. */
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
