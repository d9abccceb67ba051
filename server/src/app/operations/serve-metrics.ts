/*
 * `/metrics` for Prometheus: this file serves it, `*-metrics.ts` say what is in it, and `platform/metrics/` is what the
 * process counts. docs/observability.md describes every metric; a test compares it with what is served.
 */

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'
import { reasonNotListening } from '../../platform/https-server/reserve-port.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import type { Metric } from './metric.ts'

export type ServedMetrics = {
  port: number
  /** Serves these too, from now on. */
  add: (metrics: Metric[]) => void
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Serves `/metrics`, and nothing else, over plain HTTP. A port that cannot be had stops the start. */
export async function serveMetrics({ host, port }: { host: string; port: number }): Promise<ServedMetrics> {
  // Loaded here: a server without METRICS_PORT does not need it.
  const { Registry } = await import('prom-client')
  const registry = new Registry()
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (request, response) => {
    answer(registry, request, response).catch(() => response.destroy())
  })
  server.maxConnections = 16 // scrapers are few
  try {
    await once(server.listen({ host, port }), 'listening')
  } catch (cause) {
    throw new OperatorError(
      `Cannot listen on ${host} port ${port} for metrics (${reasonNotListening(cause)}); set METRICS_HOST and METRICS_PORT.`,
      { cause },
    )
  }
  return {
    port: (server.address() as AddressInfo).port, // it listens on a port, never on a pipe
    add: (metrics) => {
      for (const metric of metrics) register(registry, metric)
    },
    [Symbol.asyncDispose]: () => close(server),
  }
}

/** The registry needs no more of a metric than this, though its type asks for one of its own classes. */
function register(registry: Registry, { name, type, help, read }: Metric): void {
  const get = async () => ({ name, help, type, aggregator: 'sum', values: await read() })
  registry.registerMetric({ name, help, get } as unknown as Parameters<Registry['registerMetric']>[0])
}

async function answer(registry: Registry, { method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = url?.replace(/[?#].*/s, '')
  if (path !== '/metrics') return refuse(response, 404, 'Only /metrics is served here.')
  if (method !== 'GET' && method !== 'HEAD') return refuse(response.setHeader('allow', 'GET, HEAD'), 405, 'Use GET.')
  const text = await registry.metrics()
  response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' })
  response.end(method === 'HEAD' ? undefined : text)
}

function refuse(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${sentence}\n`)
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
