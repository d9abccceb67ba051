import type { Result } from './result.ts'
import { comparedNames } from './servers/start.ts'
import {
  bar,
  barLeft,
  barSpace,
  colours,
  heading,
  known,
  label,
  legend,
  type Panel,
  picture,
  range,
  rowHeight,
  text,
  whole,
} from './svg.ts'

/** The run as one picture: how many requests a second, and what each of them costs. */
export function chart(result: Result): string {
  const rates = ratePanel(result, 70)
  const costs = costPanel(result, rates.bottom + 60)
  const title = 'Incoming messages over HTTPS, each on disk before it is answered'
  return picture(title, [rates, costs], `${factsOf(result)} · ${result.settings.connections} connections`)
}

export function factsOf({ machine, startedAt }: Result): string {
  return `${machine.cores} cores, ${machine.cpu} · Node ${machine.node} · PostgreSQL ${machine.postgres} · ${startedAt.slice(0, 10)}`
}

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
  const cost = (
    name: string,
    { nodeMicros, postgresMicros }: { nodeMicros: number; postgresMicros: number },
  ): Cost => ({
    name,
    node: known(nodeMicros),
    postgres: known(postgresMicros),
  })
  const { plain, new: ofNew, owed } = rounds.others
  const costs = [
    ...comparedNames.map((name) => cost(names[name], rounds.standings[name])),
    cost('plain insert, a row', { nodeMicros: 0, postgresMicros: rounds.insert.postgresMicros }),
    cost('Patchbay: no names', plain),
    cost('Patchbay: 1 in 5 new', ofNew),
    cost('Patchbay: answers owed', owed),
    ...answers
      .filter(({ kind }) => kind !== 'plain')
      .map((answer) => cost(`Patchbay: ${answer.kind} (${answer.status})`, answer)),
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
