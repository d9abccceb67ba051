/** The texts of a page by what decides their contrast; left in the page for the look that follows. */
export type Texts = { textsByLook: Map<string, Element[]> }

/**
 * Runs in the page, in the light theme. The look of a text is what the style sheets can tell apart, of it and of all that is
 * around it: tags, classes, states and the colours that came of them. Texts of one look have one contrast, in the dark
 * theme too, wherever they are: only one that lies over what is not around it could differ.
 */
export function readLooks(): string[] {
  const looks = new Map<Element, string>()
  const lookOf = (element: Element): string => {
    const known = looks.get(element)
    if (known !== undefined) return known
    const states = element
      .getAttributeNames()
      .filter((name) => /^(data-|aria-|class$|style$|role$|type$|hidden$|open$)/.test(name))
      .map((name) => `${name}=${element.getAttribute(name)}`)
      // Names and ids, of which each has its own.
      .filter((state) => /^(class|style|data-)/.test(state) || state.length < 25)
    const { color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight } = getComputedStyle(element)
    const colours = [color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight]
    const around = element.parentElement ? lookOf(element.parentElement) : innerWidth
    const look = `${around}>${element.tagName} ${states.join(' ')} ${colours} ${element.matches(':disabled')}`
    looks.set(element, look)
    return look
  }
  const ownText = (element: Element | null) =>
    [...(element?.childNodes ?? [])]
      .map((node) => (node.nodeType === Node.TEXT_NODE ? node.nodeValue?.trim() : ''))
      .join('')
  /** What axe does not judge is not what it has judged: what is covered, a single letter, what names a control that is off. */
  const judgedAs = (element: Element): string => {
    const { x, y, width, height } = element.getBoundingClientRect()
    const top = document.elementFromPoint(x + width / 2, y + height / 2)
    const isCovered = top !== null && !element.contains(top) && !top.contains(element)
    const control = element.closest('label')?.control
    return `${isCovered} ${ownText(element).length === 1} ${ownText(element.parentElement) !== ''} ${control?.matches(':disabled')}`
  }
  const texts = Map.groupBy(
    [...document.body.querySelectorAll('*')].filter(
      (element) =>
        (ownText(element) !== '' || element.matches('input, textarea, select')) &&
        element.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
    ),
    (element) => `${lookOf(element)} ${judgedAs(element)}`,
  )
  ;(window as unknown as Texts).textsByLook = texts
  return [...texts.keys()]
}
