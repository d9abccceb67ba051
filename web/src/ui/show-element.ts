/** Brings a button into sight and gives it the focus, before what it does is done by a command. */
export function showElement(element: HTMLElement | null): void {
  element?.focus()
  element?.scrollIntoView({ block: 'nearest' })
}
