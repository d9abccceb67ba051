import type { FirstStart } from '../../process/first-start.ts'
import { type Config, publicUrlAt } from '../../src/platform/config/config.ts'
import { curlTo } from './curl-line.ts'

type Serving = { port: number; certificateFile: string; firstStart: FirstStart | undefined; isPaused?: boolean }

/**
 * What a person, or a script with --json, needs once the server is ready. With `credentialsFile` the text names that file
 * instead of showing the credentials.
 */
export async function banner(
  config: Config,
  serving: Serving,
  credentialsFile?: string,
): Promise<{ text: string; facts: Record<string, unknown> }> {
  const { firstStart, certificateFile } = serving
  const url = publicUrlAt(config, serving.port)
  const facts = {
    url,
    baseUrl: `${url}/v1`,
    certificateFile,
    ...firstStart?.owner,
    listId: firstStart?.listId,
    ...(serving.isPaused && { isPaused: true }),
  }
  const lines = firstStart && !credentialsFile ? await credentialLines(config, serving, firstStart) : lostLines
  const kept = firstStart && credentialsFile ? keptLines(credentialsFile) : lines
  const warning = [
    ...(config.allowPlainHttp
      ? ['', '  !! ALLOW_PLAIN_HTTP is on: keys travel unencrypted. For local experiments only. !!']
      : []),
    ...(serving.isPaused
      ? ['', '  !! This restored copy is paused and sends nothing. To end that: npx patchbay resume !!']
      : []),
  ]
  const app = config.servesApp ? ['  Open it in a browser and sign in.', ...certificateLines(config, url)] : []
  return { text: ['', `  Patchbay is ready at ${url}`, ...app, '', ...kept, ...warning, '', ''].join('\n'), facts }
}

/** Behind a proxy, browsers see the proxy's certificate. */
function certificateLines(config: Config, url: string): string[] {
  if (config.tlsFiles || !config.trustedProxies.isEmpty || !url.startsWith('https:')) return []
  return ['  It warns once: this server made its certificate itself. TLS_CERT_FILE sets another.']
}

/** The credentials of the first start; they cannot be shown later. */
export async function credentialLines(
  config: Config,
  serving: Serving,
  { owner, listId }: FirstStart,
): Promise<string[]> {
  const { command, url } = await curlTo(config, serving)
  return [
    '  Shown once, so keep it:',
    `    sign in    ${owner.email}`,
    `    password   ${owner.password ?? '(the one in OWNER_PASSWORD)'}`,
    `    API key    ${owner.apiKey}`,
    `    a list     ${listId}`,
    '',
    '  Try it:',
    `    ${command} -H 'content-type: application/json' -d '{"firstName":"Ana","phone":"+15551234567"}' '${url}/v1/contacts?apiKey=${owner.apiKey}'`,
  ]
}

const lostLines = [
  '  Lost the key or the password? npx patchbay account show names the owner; then',
  '  npx patchbay key generate --account E, npx patchbay account password --account E',
]

function keptLines(file: string): string[] {
  return [
    "  The owner's e-mail address, password and API key, and an example command, are in",
    `    ${file}`,
    '  Save them and delete the file.',
  ]
}
