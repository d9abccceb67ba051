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
