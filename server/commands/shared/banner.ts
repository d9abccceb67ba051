import type { FirstStart } from '../../first-start.ts'
import type { Config } from '../../src/platform/config/config.ts'
import { curlTo, publicUrl } from './curl-line.ts'

type Serving = { port: number; certificateFile: string; firstStart: FirstStart | undefined }

/**
 * What a person, or a script with --json, needs to know once the server answers. With `credentialsFile` the text names
 * that file in place of what is in it.
 */
export async function banner(
  config: Config,
  serving: Serving,
  credentialsFile?: string,
): Promise<{ text: string; facts: Record<string, unknown> }> {
  const { firstStart, certificateFile } = serving
  const url = publicUrl(config, serving)
  const facts = {
    url,
    baseUrl: `${url}/v1`,
    certificateFile,
    ...firstStart?.owner,
    listId: firstStart?.listId,
  }
  const lines = firstStart && !credentialsFile ? await credentialLines(config, serving, firstStart) : lostLines
  const kept = firstStart && credentialsFile ? keptLines(credentialsFile) : lines
  const warning = config.allowPlainHttp
    ? ['', '  !! ALLOW_PLAIN_HTTP is on: keys travel unencrypted. For local experiments only. !!']
    : []
  return { text: ['', `  Patchbay is ready at ${url}`, '', ...kept, ...warning, '', ''].join('\n'), facts }
}

/** What the first start knows and nobody will again. */
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
    "  The owner's sign-in and API key, and a command to try, are in",
    `    ${file}`,
    '  Keep them, and remove it.',
  ]
}
