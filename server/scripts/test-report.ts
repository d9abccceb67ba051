import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'

/**
 * A reporter beside Node's own: it prints the slowest files at the end, and which files a process ran that failed as a
 * whole, because an import failed or the process ended. All other failures name their file by themselves.
 */
// biome-ignore lint/style/noDefaultExport: Node loads a reporter by its default export
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const msOf = new Map<string, number>()
  const failed = new Set<string>()
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const { file, nesting, details } = data
    if (file === undefined || nesting > 0) continue
    if (!file.endsWith('.mjs')) msOf.set(file, (msOf.get(file) ?? 0) + details.duration_ms)
    else if (type === 'test:fail') failed.add(file)
  }
  for (const group of failed)
    yield `\nIn ${group} one of these failed to load, or ended the process:\n${filesOf(group)}`
  yield slowest(msOf)
}

function filesOf(group: string): string {
  const imported = readFileSync(group, 'utf8').matchAll(/file:[^']+/g)
  return [...imported].map(([url]) => `  ${shortened(fileURLToPath(url))}\n`).join('')
}

const shown = 10

function slowest(msOf: Map<string, number>): string {
  if (msOf.size < shown) return ''
  const longest = [...msOf].sort(([, one], [, other]) => other - one).slice(0, shown)
  const lines = longest.map(([file, ms]) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${shortened(file)}\n`)
  return `\nThe ten slowest files:\n${lines.join('')}`
}

const shortened = (file: string) => relative(process.cwd(), file)
