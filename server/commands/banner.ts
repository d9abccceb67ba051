import type { RunningServer } from '../main.ts'
import type { Config } from '../src/platform/config.ts'

/** What a person, or a script with --json, needs to know once the server answers. */
export function banner(config: Config, server: RunningServer): { text: string; facts: Record<string, unknown> } {
  const { firstStart, certificateFile } = server
  const url = config.port === 0 ? `https://localhost:${server.port}` : config.publicUrl
  const facts = {
    url,
    baseUrl: `${url}/v1`,
    certificateFile,
    ...firstStart?.owner,
    listId: firstStart?.listId,
  }
  const lines = firstStart ? firstLines(config, server, url) : laterLines(url)
  const warning = config.allowPlainHttp
    ? ['', '  !! ALLOW_PLAIN_HTTP is on: keys travel unencrypted. For local experiments only. !!']
    : []
  return { text: ['', ...lines, ...warning, '', ''].join('\n'), facts }
}

function firstLines(config: Config, { firstStart, certificateFile }: RunningServer, url: string): string[] {
  if (!firstStart) return []
  const { owner, listId } = firstStart
  const trust = config.tlsFiles ? '' : ` --cacert '${certificateFile.replaceAll("'", "'\\''")}'`
  return [
    `  Patchbay is ready at ${url}`,
    '',
    '  Shown once, so keep it:',
    `    sign in    ${owner.email}`,
    `    password   ${owner.password ?? '(the one in OWNER_PASSWORD)'}`,
    `    API key    ${owner.apiKey}`,
    `    a list     ${listId}`,
    '',
    '  Try it:',
    `    curl${trust} -H 'content-type: application/json' -d '{"firstName":"Ana","phone":"+15551234567"}' '${url}/v1/contacts?apiKey=${owner.apiKey}'`,
  ]
}

function laterLines(url: string): string[] {
  return [
    `  Patchbay is ready at ${url}`,
    '',
    '  Lost the key or the password? npx patchbay key generate --account E, npx patchbay account password --account E',
  ]
}
