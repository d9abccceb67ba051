import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { until } from './until.ts'

const examples = resolve(import.meta.dirname, '../../../examples')

/** A server of `examples/`, as its readers start it, on a port of its own. */
export type Example = AsyncDisposable & { port: number; said: string[] }

export async function startExample(name: string, environment: Record<string, string>): Promise<Example> {
  const { PATH = '' } = process.env
  const file = resolve(examples, name, 'server.js')
  const child = spawn(process.execPath, [file], { env: { PATH, PORT: '0', ...environment } })
  const said: string[] = []
  child.stdout.on('data', (data) => said.push(...String(data).trim().split('\n')))
  child.stderr.on('data', (data) => said.push(String(data)))
  const started = { said, [Symbol.asyncDispose]: () => end(child) }
  await using starting = new AsyncDisposableStack()
  starting.use(started)
  await until(() => said.length > 0, 'it did not start')
  starting.move()
  return { ...started, port: Number(/(?:port |:)(\d+)$/.exec(said[0] ?? '')?.[1]) }
}

async function end(child: ChildProcess): Promise<void> {
  child.kill()
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
