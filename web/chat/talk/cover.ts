/** The page does not scroll behind a panel that covers it. */
export function lockPage(): (isLocked: boolean) => void {
  let before: string | undefined
  return (isLocked) => {
    const { style } = document.documentElement
    if (isLocked && before === undefined) {
      before = style.getPropertyValue('overflow')
      style.setProperty('overflow', 'hidden', 'important')
    }
    if (!isLocked && before !== undefined) {
      style.setProperty('overflow', before)
      before = undefined
    }
  }
}

/** Tab goes round inside while it covers the page; its height is what the keyboard of a phone leaves. */
export function keepFocus(panel: HTMLElement, isCovering: () => boolean): void {
  panel.addEventListener('keydown', (event) => {
    if (event.key !== 'Tab' || !isCovering()) return
    const all = [...panel.querySelectorAll<HTMLElement>('a, button, input, textarea, summary, [tabindex="0"]')].filter(
      (each) => each.tabIndex >= 0 && each.checkVisibility() && !each.closest('[inert]'),
    )
    const [first, last] = [all[0], all[all.length - 1]]
    const root = panel.getRootNode() as ShadowRoot
    const leaves = root.activeElement === (event.shiftKey ? first : last)
    if (!leaves) return
    event.preventDefault()
    ;(event.shiftKey ? last : first)?.focus()
  })
  const view = window.visualViewport
  const fit = () => {
    if (!view || !isCovering()) return
    panel.style.setProperty('--pb-height', `${view.height}px`)
    panel.style.setProperty('--pb-top', `${view.offsetTop}px`)
  }
  view?.addEventListener('resize', fit)
  view?.addEventListener('scroll', fit)
}
