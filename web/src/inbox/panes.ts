/** Where the focus goes in each part of the inbox. */
const panes = {
  thread: '[data-pane="thread"] .thread',
  composer: '[data-composer]',
  contact: '[data-pane="contact"] a, [data-pane="contact"] button',
} as const

export function focusPane(name: keyof typeof panes): void {
  const found = [...document.querySelectorAll<HTMLElement>(panes[name])]
  found.find((element) => element.checkVisibility())?.focus({ preventScroll: true })
}

/** The row that gets the focus once it is drawn. */
let awaitedRow: string | undefined

/**
 * Focuses a row once it is drawn: the list may have to scroll to it first. It does not if the focus goes elsewhere
 * meanwhile.
 */
export function focusRow(contactId: string): void {
  awaitedRow = contactId
  const from = document.activeElement
  const attempt = (frames: number) => {
    if (awaitedRow !== contactId) return
    const row = document.querySelector<HTMLElement>(`.convo[data-contact="${CSS.escape(contactId)}"]`)
    const hasMoved = document.activeElement !== from && document.activeElement !== document.body
    if (!row?.checkVisibility() && !hasMoved && frames > 0) {
      requestAnimationFrame(() => attempt(frames - 1))
      return
    }
    awaitedRow = undefined
    if (!hasMoved && row?.checkVisibility()) row.focus()
  }
  attempt(120)
}

/** The row that has the focus, or is about to: a key that is pressed again before it is drawn goes on from there. */
export function rowInFocus(): string | undefined {
  return awaitedRow ?? document.activeElement?.closest<HTMLElement>('.convo')?.dataset.contact
}
