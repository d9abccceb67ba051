import { make } from './dom.ts'

/** What is read aloud: each new message once, and what went wrong. That something was sent or read is not. */
export function openAnnouncer() {
  const calm = make('div', { class: 'pbw-hide', 'aria-live': 'polite' })
  const alert = make('div', { class: 'pbw-hide', role: 'alert' })
  const say = (into: HTMLElement) => (text: string) => {
    const line = make('p', {}, [text])
    into.append(line)
    while (into.childElementCount > 5) into.firstElementChild?.remove()
  }
  const empty = () => {
    for (const each of [calm, alert]) each.replaceChildren()
  }
  return { elements: [calm, alert], say: say(calm), alert: say(alert), empty }
}
