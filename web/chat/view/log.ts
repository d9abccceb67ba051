import { make } from './dom.ts'
import type { Drawing } from './log-row.ts'
import { drawMessage, drawRow } from './log-row.ts'
import type { Row } from './rows.ts'

type Drawn = { element: HTMLElement; said: string }

/** Draws the rows that are new or have changed, and leaves all others as they are: with their focus, and as far as they were read. */
export function openLog(log: HTMLElement, drawing: Drawing, email: HTMLElement) {
  let drawn = new Map<string, Drawn>()
  return (rows: readonly Row[]) => {
    const next = new Map<string, Drawn>()
    let before: ChildNode | null = log.firstChild
    for (const row of rows) {
      const said = row.is === 'email' ? '' : saidBy(row, drawing)
      const old = drawn.get(row.key)
      const element = old && old.said === said ? old.element : draw(row, drawing, email)
      if (old && old.element !== element) {
        if (old.element === before) before = old.element.nextSibling
        swap(old.element, element)
      }
      if (element === before) before = before.nextSibling
      else log.insertBefore(element, before)
      next.set(row.key, { element, said })
    }
    for (const [key, { element }] of drawn) if (!next.has(key)) element.remove()
    drawn = next
  }
}

/** Whoever is on a button of it stays there. */
function swap(old: HTMLElement, element: HTMLElement): void {
  const hadFocus = old.matches(':focus-within')
  old.replaceWith(element)
  if (hadFocus) element.querySelector<HTMLElement>('button, a')?.focus()
}

/** What it would look like, as text: what has changed is drawn anew. A countdown changes by itself. */
function saidBy(row: Row, { now }: Drawing): string {
  const isCounting = row.is === 'pending' && row.pending.againAt !== null
  return JSON.stringify(row) + (isCounting ? Math.floor(now() / 1_000) : '')
}

function draw(row: Row, drawing: Drawing, email: HTMLElement): HTMLElement {
  if (row.is === 'email') return email
  if (row.is !== 'fold') return drawRow(row, drawing)
  const messages = row.messages.map((message) => drawMessage(message, true, drawing))
  return make('details', { class: 'pbw-fold' }, [
    make('summary', {}, [drawing.words.before]),
    make('div', {}, messages),
  ])
}
