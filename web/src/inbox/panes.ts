/** The parts of the inbox that F6 goes through, and what has the focus in each. */
const panes = {
  list: '[data-pane="list"] .convo[tabindex="0"], [data-pane="list"] input',
  thread: '[data-pane="thread"] .thread',
  composer: '[data-composer]',
  contact: '[data-pane="contact"] a, [data-pane="contact"] button',
} as const

export function focusPane(name: keyof typeof panes | 'next'): void {
  if (name !== 'next') {
    firstShown(panes[name])?.focus()
    return
  }
  const order = Object.values(panes).flatMap((selector) => firstShown(selector) ?? [])
  const current = order.findIndex((element) => holdOf(element)?.contains(document.activeElement))
  order[(current + 1) % order.length]?.focus()
}

/** Focuses a row once it is drawn: the list may have to scroll to it first. */
export function focusRow(contactId: string, tries = 10): void {
  const row = document.querySelector<HTMLElement>(`.convo[data-contact="${CSS.escape(contactId)}"]`)
  if (row?.checkVisibility()) row.focus()
  else if (tries > 0) requestAnimationFrame(() => focusRow(contactId, tries - 1))
}

/** Presses the last button of its kind in the thread. */
export function press(selector: string): void {
  const buttons = document.querySelectorAll<HTMLElement>(`[data-pane="thread"] ${selector}`)
  const last = buttons[buttons.length - 1]
  last?.focus()
  last?.scrollIntoView({ block: 'nearest' })
  last?.click()
}

/** Whether a popover, menu or dialog is open, which Escape closes first. */
export function hasOpenFloat(): boolean {
  return document.querySelector('[role="dialog"], [role="menu"], [role="listbox"]') !== null
}

/** The part around an element that counts as its pane. */
function holdOf(element: HTMLElement): Element | null {
  return element.closest('.compose-box') ?? element.closest('.thread-frame') ?? element.closest('[data-pane]')
}

function firstShown(selector: string): HTMLElement | undefined {
  return [...document.querySelectorAll<HTMLElement>(selector)].find((element) => element.checkVisibility())
}
