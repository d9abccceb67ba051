import type { Result } from './result.ts'
import { comparedNames } from './servers/start.ts'

const width = 960
const labelWidth = 190
const barLeft = 30 + labelWidth
const barSpace = width - barLeft - 190
const rowHeight = 34
const barHeight = 20

const colours = {
  product: '#c2410c',
  peer: '#94a3b8',
  node: '#2563eb',
  postgres: '#f59e0b',
  ink: '#1e293b',
  faint: '#64748b',
}

/** The run as one picture: how many requests a second, and what each of them costs. */
export function chart(result: Result): string {
  const rates = ratePanel(result, 70)
  const costs = costPanel(result, rates.bottom + 60)
  const height = costs.bottom + 60
  const { machine, settings, startedAt } = result
  const facts = `${machine.cores} cores, ${machine.cpu} · Node ${machine.node} · PostgreSQL ${machine.postgres} · ${startedAt.slice(0, 10)}`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="14" fill="${colours.ink}">`,
    `<title>Patchbay benchmark</title>`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    text(30, 36, 'Incoming messages over HTTPS, each on disk before it is answered', { size: 20, weight: 600 }),
    ...rates.parts,
    ...costs.parts,
    text(30, height - 20, `${facts} · ${settings.connections} connections`, { size: 12, fill: colours.faint }),
    '</svg>',
    '',
  ].join('\n')
}

type Panel = { parts: string[]; bottom: number }

function ratePanel({ rounds }: Result, top: number): Panel {
  const most = Math.max(...comparedNames.map((name) => rounds.standings[name].requestsPerSecond.max))
  const scale = barSpace / most
  const parts = [
    text(30, top, 'Requests a second: median of the rounds, and the range from slowest to fastest', heading),
  ]
  for (const [row, name] of comparedNames.entries()) {
    const { median, min, max } = rounds.standings[name].requestsPerSecond
    const y = top + 18 + row * rowHeight
    const share = name === 'product' ? '' : ` · product ${rounds.ratios[name].median.toFixed(2)} ×`
    parts.push(
      label(y, names[name]),
      bar({ x: barLeft, y, length: median * scale, fill: name === 'product' ? colours.product : colours.peer }),
      range(y, barLeft + min * scale, barLeft + max * scale),
      text(barLeft + max * scale + 10, y + 15, `${whole(median)}${share}`),
    )
  }
  return { parts, bottom: top + 18 + comparedNames.length * rowHeight }
}

const names = {
  fastifyNoop: 'plain Fastify no-op',
  productNoop: 'product no-op',
  product: 'Patchbay',
  naive: 'naive design',
}

type Cost = { name: string; node: number; postgres: number }

function costPanel({ rounds, answers }: Result, top: number): Panel {
  const costs: Cost[] = [
    ...comparedNames.map((name) => {
      const { nodeMicros, postgresMicros } = rounds.standings[name]
      return { name: names[name], node: known(nodeMicros), postgres: known(postgresMicros) }
    }),
    ...answers
      .filter(({ kind }) => kind !== 'plain')
      .map(({ kind, status, nodeMicros, postgresMicros }) => ({
        name: `Patchbay: ${kind} (${status})`,
        node: known(nodeMicros),
        postgres: known(postgresMicros),
      })),
  ]
  const scale = barSpace / Math.max(...costs.map(({ node, postgres }) => node + postgres), 1)
  const parts = [text(30, top, 'CPU time a request, in microseconds', heading), ...legend(top)]
  for (const [row, { name, node, postgres }] of costs.entries()) {
    const y = top + 18 + row * rowHeight
    parts.push(
      label(y, name),
      bar({ x: barLeft, y, length: node * scale, fill: colours.node }),
      bar({ x: barLeft + node * scale, y, length: postgres * scale, fill: colours.postgres }),
      text(barLeft + (node + postgres) * scale + 10, y + 15, `${whole(node)} + ${whole(postgres)}`),
    )
  }
  return { parts, bottom: top + 18 + costs.length * rowHeight }
}

function legend(top: number): string[] {
  const [left, right] = [barLeft + 180, barLeft + 250]
  return [
    `<rect x="${left}" y="${top - 11}" width="12" height="12" fill="${colours.node}"/>`,
    text(left + 18, top, 'Node'),
    `<rect x="${right}" y="${top - 11}" width="12" height="12" fill="${colours.postgres}"/>`,
    text(right + 18, top, 'PostgreSQL'),
  ]
}

const heading = { weight: 600 }

function label(y: number, words: string): string {
  return text(barLeft - 12, y + 15, words, { anchor: 'end' })
}

function bar({ x, y, length, fill }: { x: number; y: number; length: number; fill: string }): string {
  return `<rect x="${x.toFixed(1)}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" fill="${fill}"/>`
}

function range(y: number, from: number, to: number): string {
  const [middle, high, low] = [y + barHeight / 2, y + 5, y + barHeight - 5]
  const [a, b] = [from.toFixed(1), to.toFixed(1)]
  return `<path d="M${a} ${high}V${low}M${a} ${middle}H${b}M${b} ${high}V${low}" stroke="${colours.ink}" fill="none"/>`
}

type Look = { size?: number; weight?: number; fill?: string; anchor?: 'end' }

function text(x: number, y: number, words: string, { size, weight, fill, anchor }: Look = {}): string {
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
function known(value: number): number {
  return Number.isNaN(value) ? 0 : value
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}
