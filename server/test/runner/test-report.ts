import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { TestsStream } from 'node:test'
import { fileURLToPath } from 'node:url'

/**
 * Says at the end of a run what Node's own report does not: the slowest files, and which files a process ran that failed
 * as a whole, because an import failed or the process ended. All other failures name their file by themselves.
 */
export function openReport(events: TestsStream): { hasFailed: () => boolean; end: () => string } {
  const msOf = new Map<string, number>()
  const failed = new Set<string>()
  let hasFailed = true

  function count({
    file,
    nesting,
    details,
  }: {
    file?: string
    nesting: number
    details: { duration_ms: number }
  }): void {
    if (file === undefined || nesting > 0 || isGroup(file)) return
    msOf.set(file, (msOf.get(file) ?? 0) + details.duration_ms)
  }

  events.on('test:pass', count)
  events.on('test:fail', (data) => {
    count(data)
    if (data.file !== undefined && isGroup(data.file)) failed.add(data.file)
  })
  events.on('test:summary', ({ file, success }) => {
    if (file === undefined) hasFailed = !success
  })
  return { hasFailed: () => hasFailed, end: () => [...[...failed].map(unloaded), slowest(msOf)].join('') }
}

const isGroup = (file: string) => file.endsWith('.mjs')

function unloaded(group: string): string {
  const imported = readFileSync(group, 'utf8').matchAll(/file:[^']+/g)
  const files = [...imported].map(([url]) => `  ${shortened(fileURLToPath(url))}\n`)
  return `\nOne of these files cannot be loaded, or ended its process:\n${files.join('')}`
}

const shown = 10

function slowest(msOf: Map<string, number>): string {
  if (msOf.size < shown) return ''
  const longest = [...msOf].sort(([, one], [, other]) => other - one).slice(0, shown)
  const lines = longest.map(([file, ms]) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${shortened(file)}\n`)
  return `\nThe ten slowest files:\n${lines.join('')}`
}

const shortened = (file: string) => relative(process.cwd(), file)
