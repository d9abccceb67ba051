import launcherCss from '../style/launcher.css?inline'

type Host = { element: HTMLElement; root: ShadowRoot }

/** Where everything is drawn: one element at the end of the page's body, in a shadow root that nothing of the page reaches. */
export function makeHost(): Host {
  const element = document.createElement('div')
  element.id = 'patchbay-chat'
  element.setAttribute('data-turbo-permanent', '')
  const root = element.attachShadow({ mode: 'open' })
  addStyle(root, launcherCss)
  return { element, root }
}

/** No policy of a page stops it, because nothing of it is text in the page. */
export function addStyle(root: ShadowRoot, css: string): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
}

/** A page that takes it out again each time would go on for ever. */
const mostReturns = 20

/**
 * Keeps the element at the end of the body, also when a router replaces the body: the same one, with its text, its focus and
 * how far it was scrolled.
 */
export function keepInPage({ element, root }: Host): void {
  let returns = 0
  let focused: HTMLElement | null = null
  root.addEventListener('focusin', ({ target }) => {
    focused = target as HTMLElement
  })
  root.addEventListener('focusout', () => {
    setTimeout(() => {
      if (element.isConnected && !root.activeElement) focused = null
    })
  })
  const scrolled = new Map<Element, number>()
  root.addEventListener('scroll', ({ target }) => scrolled.set(target as Element, (target as Element).scrollTop), true)
  const putBack = () => {
    bodies.disconnect()
    if (document.body) {
      if (element.parentNode !== document.body && returns < mostReturns) {
        returns += 1
        document.body.append(element)
        for (const [each, top] of [...scrolled]) each.scrollTop = top
        if (focused && root.contains(focused)) focused.focus({ preventScroll: true })
      }
      bodies.observe(document.body, { childList: true })
    }
    bodies.observe(document.documentElement, { childList: true })
  }
  const bodies = new MutationObserver(putBack)
  setInterval(() => {
    returns = 0
  }, 10_000)
  putBack()
}
