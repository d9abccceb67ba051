import { setTimeout as sleep } from 'node:timers/promises'
import type { Activity } from '../../src/app/operations/status-store.ts'
import { version } from '../../src/platform/version.ts'
import { escapeForTerminal } from './lay-out.ts'

/** How often the status is read again. */
const everyMs = 2_000

type Look = { status: Record<string, unknown>; activity: Activity }
type Taken = Look & { at: number }

/** What happened in a second, on average since the last look; null at the first look. */
type Rates = Record<keyof Activity, number | null>

/**
 * Shows the status again and again, until Ctrl-C or until nobody reads it. On a terminal each look replaces the last one;
 * with `json` each is one line. A database that does not answer is waited for.
 */
export async function watchStatus(look: () => Promise<Look>, { json }: { json: boolean }): Promise<void> {
  const ended = new AbortController()
  const end = () => ended.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  process.stdout.once('error', end)
  let last: Taken | undefined
  while (!ended.signal.aborted) {
    try {
      const taken = { ...(await look()), at: performance.now() }
      process.stdout.write(json ? toLine(taken, last) : `${clear()}${toScreen(taken, last)}`)
      last = taken
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      process.stderr.write(`${escapeForTerminal(reason)}; trying again\n`)
    }
    await sleep(everyMs, undefined, { signal: ended.signal }).catch(() => {}) // it has ended
  }
}

/** To the top, and the rest of the screen empty. */
function clear(): string {
  return process.stdout.isTTY ? '\x1b[H\x1b[J' : '\n'
}

function toLine({ status, activity, at }: Taken, last: Taken | undefined): string {
  const rates = ratesBetween({ status, activity, at }, last)
  return `${JSON.stringify({ at: new Date().toISOString(), version, ...status, perSecond: rates })}\n`
}

function ratesBetween({ activity, at }: Taken, last: Taken | undefined): Rates {
  const rate = (name: keyof Activity) =>
    last ? Math.max(0, ((activity[name] - last.activity[name]) / (at - last.at)) * 1_000) : null
  const rounded = (value: number | null) => (value === null ? null : Math.round(value * 10) / 10)
  return {
    messages: rounded(rate('messages')),
    events: rounded(rate('events')),
    answers: rounded(rate('answers')),
  }
}

/** A line for each figure, with its change since the last look; less than 80 columns wide. */
export function toScreen(taken: Taken, last: Taken | undefined): string {
  const rates = Object.entries(ratesBetween(taken, last)).map(
    ([name, rate]) => [`${name} a second`, rate === null ? '–' : rate.toFixed(1), ''] as const,
  )
  const figures = Object.entries(taken.status).map(
    ([name, value]) => [name, shown(value), changeOf(value, last?.status[name])] as const,
  )
  const lines = [...figures, ...rates].map(
    ([name, value, change]) => `${name.padEnd(24)}  ${value.padStart(24)}  ${change}`,
  )
  const head = `Patchbay ${version}, ${new Date().toISOString()}; Ctrl-C ends`
  return `${[head, '', ...lines].map((line) => line.trimEnd()).join('\n')}\n`
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return value instanceof Date ? value.toISOString() : String(value)
}

function changeOf(value: unknown, before: unknown): string {
  if (typeof value !== 'number' || typeof before !== 'number' || value === before) return ''
  return value > before ? `+${value - before}` : `-${before - value}`
}
