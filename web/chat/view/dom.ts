export type Child = Node | string

/** An element. What it says is text, whatever it is. */
export function make(tag: string, attributes: Record<string, string>, children: Child[] = []): HTMLElement {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

/** A name or a time in a sentence of another direction: neither changes the order of the other. */
export const isolated = (text: string) => `\u2068${text}\u2069`

const paths = {
  speech: 'M4 5h16v11H11l-5 4v-4H4z',
  down: 'm6 9 6 6 6-6',
  cross: 'M6 6l12 12M18 6 6 18',
  tick: 'M20 6 9 17l-5-5',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7v5l3 2',
  fault: 'M12 4 2.5 20h19zM12 10v4M12 17h.01',
  file: 'M14 3H6v18h12V7zM14 3v4h4',
  clip: 'm20 11-8.5 8.5a5 5 0 0 1-7-7L13 4a3.4 3.4 0 0 1 5 5l-8.5 8.5a1.7 1.7 0 0 1-2.5-2.5L15 7',
  send: 'M5 12h13M12 5l7 7-7 7',
  noNet: 'M3 3l18 18M8.5 16.5a5 5 0 0 1 7 0M5 13a10 10 0 0 1 5-2.7M19 13a10 10 0 0 0-2-1.5M12 20h.01',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 11v5M12 8h.01',
}
export type Icon = keyof typeof paths

const svgNames = 'http://www.w3.org/2000/svg'

export function icon(name: Icon): SVGElement {
  const svg = document.createElementNS(svgNames, 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('aria-hidden', 'true')
  svg.setAttribute('class', `pbw-i-${name}`)
  const path = document.createElementNS(svgNames, 'path')
  path.setAttribute('d', paths[name])
  svg.append(path)
  return svg
}
