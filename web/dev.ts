import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createServer } from 'vite'

/**
 * `npm run dev`: the real server, and in front of it the app with hot reload, at the address that is printed. The server
 * reads its settings from the environment as always.
 */
const root = resolve(import.meta.dirname, '..')
const server = spawn(process.execPath, [resolve(root, 'server/cli.ts'), 'start', '--json'], {
  cwd: root,
  // It builds the app once, of which it serves the chat for shops' pages: that is loaded by pages of others, as it is.
  env: { ...process.env, SERVE_APP: '1' },
  stdio: ['inherit', 'pipe', 'inherit'],
})
server.once('exit', (code) => process.exit(code ?? 1))
process.once('SIGTERM', () => server.kill()) // a terminal tells both of an interrupt
const { url, certificateFile, ...credentials } = await readFacts()

/** Of `/chat/` only what pages ask for: the chat's sources, which the app's preview is made of, are below that name, too. */
const ofServer = ['/api', '/v1', '^/chat/(chn_|panel-)', '/files']
const app = await createServer({
  root: import.meta.dirname,
  server: {
    port: 5173,
    https: { cert: await readFile(certificateFile), key: await readFile(keyFileOf(certificateFile)) },
    // The host stays as the browser sent it: the server compares it with where a request says that it comes from.
    proxy: Object.fromEntries(ofServer.map((path) => [path, { target: url, secure: false }])),
  },
})
await app.listen()
process.stdout.write(`\n  server ${url}\n`)
for (const [name, value] of Object.entries(credentials)) process.stdout.write(`  ${name} ${value}\n`)
app.printUrls()

type Facts = Record<string, string> & { url: string; certificateFile: string }

/** What the server prints once it is ready: one JSON document. */
async function readFacts(): Promise<Facts> {
  for (let printed = ''; ; ) {
    const [data] = await once(server.stdout, 'data')
    printed += data
    if (printed.trimEnd().endsWith('}')) return JSON.parse(printed)
  }
}

/** Beside the certificate: TLS_KEY_FILE, or the key that the server has made. */
function keyFileOf(certificate: string): string {
  return process.env.TLS_KEY_FILE ?? certificate.replace(/cert\.pem$/, 'key.pem')
}
