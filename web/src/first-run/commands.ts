import { quote } from '../shell-quote.ts'

/** What stands for the key once it is no longer known: only its hash is kept. */
const placeholder = 'YOUR_API_KEY'

type Message = { publicUrl: string; apiKey: string | undefined; sid: string; body: string }

/** Posts a message as the external platform does. A certificate for this machine alone is made by the server itself. */
export function postMessage({ publicUrl, apiKey, sid, body }: Message): string {
  const isLocal = /^https:\/\/(localhost|127\.|\[::1\])/.test(publicUrl)
  const who = JSON.stringify({ messageSid: sid, fromId: 'ana', firstName: 'Ana', toId: 'shop' })
  const what = JSON.stringify({ body, channel: 'Web chat' })
  // Two lines, which JSON allows: the longer one would not fit beside its copy button.
  const data = `{"customData":${who.slice(0, -1)},\n       ${what.slice(1)}}`
  return [
    `curl ${isLocal ? '-k ' : ''}-H ${quote(`x-api-key: ${apiKey ?? placeholder}`)} \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d ${quote(data)} \\`,
    `  ${publicUrl}/v1/incoming_custom_channel_message`,
  ].join('\n')
}

export function saveWebhook(email: string, url: string): string {
  return `npx patchbay webhook set --account ${email} \\\n  --url ${url}`
}
