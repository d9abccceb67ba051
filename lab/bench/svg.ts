/** Parts that the charts are made of. */

const width = 960
const labelWidth = 210
export const barLeft = 30 + labelWidth
export const barSpace = width - barLeft - 190
export const rowHeight = 34
const barHeight = 20

export const colours = {
  product: '#c2410c',
  peer: '#94a3b8',
  node: '#2563eb',
  postgres: '#f59e0b',
  ink: '#1e293b',
  faint: '#64748b',
}

/** A part of a picture, and where it ends. */
export type Panel = { parts: string[]; bottom: number }

/** The whole picture: a title, panels and a line of facts below. */
export function picture(title: string, panels: Panel[], facts: string): string {
  const height = Math.max(...panels.map(({ bottom }) => bottom)) + 60
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="14" fill="${colours.ink}">`,
    `<title>${title}</title>`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    text(30, 36, title, { size: 20, weight: 600 }),
    ...panels.flatMap(({ parts }) => parts),
    text(30, height - 20, facts, { size: 12, fill: colours.faint }),
    '</svg>',
    '',
  ].join('\n')
}

export const heading = { weight: 600 }

/** What the two colours of costs mean. */
export function legend(top: number): string[] {
  const [left, right] = [width - 250, width - 180]
  return [
    `<rect x="${left}" y="${top - 11}" width="12" height="12" fill="${colours.node}"/>`,
    text(left + 18, top, 'Node'),
    `<rect x="${right}" y="${top - 11}" width="12" height="12" fill="${colours.postgres}"/>`,
    text(right + 18, top, 'PostgreSQL'),
  ]
}

export function label(y: number, words: string): string {
  return text(barLeft - 12, y + 15, words, { anchor: 'end' })
}

export function bar({ x, y, length, fill }: { x: number; y: number; length: number; fill: string }): string {
  return `<rect x="${x.toFixed(1)}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" fill="${fill}"/>`
}

export function dot(x: number, y: number, fill: string): string {
  return `<circle cx="${x.toFixed(1)}" cy="${y + barHeight / 2}" r="6" fill="${fill}"/>`
}

export function range(y: number, from: number, to: number): string {
  const [middle, high, low] = [y + barHeight / 2, y + 5, y + barHeight - 5]
  const [a, b] = [from.toFixed(1), to.toFixed(1)]
  return `<path d="M${a} ${high}V${low}M${a} ${middle}H${b}M${b} ${high}V${low}" stroke="${colours.ink}" fill="none"/>`
}

/** An axis on which every step is ten times the one before, from a first value on; `at` is the place of a value. */
export function logAxis({ top, bottom }: { top: number; bottom: number }, first: number, decades: number) {
  const at = (value: number) => barLeft + (Math.log10(Math.max(value, first) / first) / decades) * barSpace
  const parts = Array.from({ length: decades + 1 }, (_, n) => first * 10 ** n).flatMap((value) => [
    `<path d="M${at(value).toFixed(1)} ${top}V${bottom}" stroke="#e2e8f0"/>`,
    text(at(value), bottom + 16, whole(value), { size: 12, fill: colours.faint, anchor: 'middle' }),
  ])
  return { at, parts }
}

type Look = { size?: number; weight?: number; fill?: string; anchor?: 'middle' | 'end' }

export function text(x: number, y: number, words: string, { size, weight, fill, anchor }: Look = {}): string {
  const look = [
    size && ` font-size="${size}"`,
    weight && ` font-weight="${weight}"`,
    fill && ` fill="${fill}"`,
    anchor && ` text-anchor="${anchor}"`,
  ]
  const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${x.toFixed(1)}" y="${y}"${look.filter(Boolean).join('')}>${escaped}</text>`
}

/** Without /proc there is no CPU time to draw. */
export function known(value: number): number {
  return Number.isNaN(value) ? 0 : value
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}
