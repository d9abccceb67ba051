import assert from 'node:assert/strict'
import { pino } from 'pino'
import { startMetrics } from '../../process/start-metrics.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import type { DatabaseAddress } from '../../src/platform/database/db.ts'
import type { TestApp } from './harness.ts'

export type Scrape = {
  text: string
  /** Every metric that is described, with its type. */
  types: Map<string, string>
  /** The value of a sample, as `name{label="value"}`, with its labels as served; undefined: it is absent. */
  value: (sample: string) => number | undefined
  samples: string[]
}

/** `/metrics` of an app, as its server would serve it. */
export async function serveMetricsOf(
  app: TestApp,
  address: DatabaseAddress = app.database.address,
  environment: Record<string, string> = {},
) {
  const started = new AsyncDisposableStack()
  const log = pino({ level: 'silent' })
  const metrics = started.use(
    await startMetrics(readConfig({ METRICS_PORT: '0', ...environment }), log, app.instruments),
  )
  started.use(metrics.watchDatabase(address))
  metrics.watchPools({ ...app.pools.all })
  const url = `http://127.0.0.1:${metrics.port}/metrics`
  return { url, scrape: () => scrape(url), [Symbol.asyncDispose]: () => started.disposeAsync() }
}

export async function scrape(url: string): Promise<Scrape> {
  const response = await fetch(url)
  assert.equal(response.status, 200)
  return readScrape(await response.text())
}

function readScrape(text: string): Scrape {
  const lines = text.split('\n').filter((line) => line !== '')
  const types = new Map(lines.flatMap((line) => [/^# TYPE (\S+) (\S+)$/.exec(line)]).flatMap(toEntry))
  const values = new Map(
    lines
      .filter((line) => !line.startsWith('#'))
      .map((line) => {
        const [, sample = '', value] = /^(.+) (\S+)$/.exec(line) ?? []
        return [sample, Number(value)]
      }),
  )
  return { text, types, value: (sample) => values.get(sample), samples: [...values.keys()] }
}

function toEntry(match: RegExpExecArray | null): [string, string][] {
  return match ? [[match[1] ?? '', match[2] ?? '']] : []
}
