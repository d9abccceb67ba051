import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../helpers/harness.ts'
import { type Scrape, serveMetricsOf } from '../../helpers/metrics.ts'

const root = resolve(import.meta.dirname, '../../../..')
const committed = (file: string) => readFile(join(root, file), 'utf8')

async function scrapeOnce(): Promise<Scrape> {
  await using app = await startApp()
  await using metrics = await serveMetricsOf(app)
  return await metrics.scrape()
}

type Dashboard = { panels: { title: string; targets?: { expr: string }[] }[] }

/** The metrics that a text in the query language of Prometheus names. */
function namesIn(query: string): string[] {
  return query.match(/\b(patchbay|process)_[a-z0-9_]+/g) ?? []
}

/** The metric that a sample belongs to: a histogram has three names for its samples. */
function metricOf(name: string, types: Scrape['types']): string {
  const histogram = name.replace(/_(bucket|sum|count)$/, '')
  return types.get(histogram) === 'histogram' ? histogram : name
}

test('docs/observability.md lists exactly the metrics that are served, each with a help text and a type', async () => {
  const { text, types } = await scrapeOnce()
  const rows = (await committed('docs/observability.md')).matchAll(/^\| `((?:patchbay|process)_\w+)` \|/gm)
  assert.deepEqual([...rows].map(([, name]) => name).sort(), [...types.keys()].sort())
  for (const name of types.keys()) assert.match(text, new RegExp(`^# HELP ${name} \\S+ .+\\.$`, 'm'))
})

test('names follow the conventions of Prometheus: counters end in _total, and units are base units', async () => {
  const { types } = await scrapeOnce()
  for (const [name, type] of types) {
    assert.equal(name.endsWith('_total'), type === 'counter', name)
    assert.doesNotMatch(name, /(_ms|_milliseconds|_minutes|_kb|_mb|_percent)(_|$)/)
  }
})

test('every metric of the dashboard and of the alert rules is served, and the docs explain every alert', async () => {
  const { types } = await scrapeOnce()
  const dashboard: Dashboard = JSON.parse(await committed('ops/grafana/patchbay.json'))
  const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  const rules = await committed('ops/prometheus/patchbay.rules.yml')
  assert.ok(queries.length > 30)
  const named = new Set([...queries, rules].flatMap(namesIn).map((name) => metricOf(name, types)))
  assert.deepEqual(
    [...named].filter((name) => !types.has(name)),
    [],
  )
  const shown = new Set(queries.flatMap(namesIn).map((name) => metricOf(name, types)))
  assert.deepEqual(
    [...types.keys()].filter((name) => !shown.has(name)),
    [],
    'these are on no panel',
  )
  const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
  const explained = [...(await committed('docs/observability.md')).matchAll(/^\| `(Patchbay\w+)` \|/gm)]
  assert.deepEqual(
    explained.map(([, name]) => name),
    alerts,
  )
})
