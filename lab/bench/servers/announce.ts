import type { AddressInfo, Server } from 'node:net'

/** Tells the runner where we listen, in the words of `start --json`, then serves until told to stop. */
export async function serveUntilStopped(server: Server, certificateFile: string): Promise<void> {
  const { port } = server.address() as AddressInfo // it listens on a port, never on a pipe
  const { promise, resolve } = Promise.withResolvers<void>()
  process.on('SIGINT', () => resolve()) // Ctrl-C in the runner's terminal, followed by its SIGTERM
  process.on('SIGTERM', () => resolve())
  process.stdout.write(`${JSON.stringify({ url: `https://localhost:${port}`, certificateFile })}\n`)
  await promise
}
