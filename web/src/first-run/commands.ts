import { quote } from '../shell-quote.ts'
import { curlTo, keyPlaceholder } from '../ui/curl.ts'

type Message = { publicUrl: string; apiKey: string | undefined; sid: string; body: string }

/** Posts a message as the external platform does. */
export function postMessage({ publicUrl, apiKey, sid, body }: Message): string {
  const who = JSON.stringify({ messageSid: sid, fromId: 'ana', firstName: 'Ana', toId: 'shop' })
  const what = JSON.stringify({ body, channel: 'Web chat' })
  // Two lines, which JSON allows: the longer one would not fit beside its copy button.
  const data = `{"customData":${who.slice(0, -1)},\n       ${what.slice(1)}}`
  return [
    `${curlTo(publicUrl)} -H ${quote(`x-api-key: ${apiKey ?? keyPlaceholder}`)} \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d ${quote(data)} \\`,
    `  ${publicUrl}/v1/incoming_custom_channel_message`,
  ].join('\n')
}

export function saveWebhook(email: string, url: string): string {
  return `npx patchbay webhook set --account ${email} \\\n  --url ${url}`
}
