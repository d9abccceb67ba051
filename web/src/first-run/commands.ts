import { curlTo, keyPlaceholder, type Server } from '../ui/curl.ts'
import { quote } from '../ui/shell-quote.ts'

type Message = { server: Server; apiKey: string | undefined; sid: string; body: string }

/** Posts a message as the external platform does. */
export function postMessage({ server, apiKey, sid, body }: Message): string {
  // Lines, which JSON and the quotes allow: one would not fit beside its copy button.
  const parts = [{ messageSid: sid, toId: 'shop' }, { fromId: 'ana', firstName: 'Ana', channel: 'Web chat' }, { body }]
  const data = `{"customData":{${parts.map((part) => JSON.stringify(part).slice(1, -1)).join(',\n       ')}}}`
  return [
    `${curlTo(server)} \\`,
    `  -H ${quote(`x-api-key: ${apiKey ?? keyPlaceholder}`)} \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d ${quote(data)} \\`,
    `  ${server.publicUrl}/v1/incoming_custom_channel_message`,
  ].join('\n')
}

export function saveWebhook(email: string, url: string): string {
  return `npx patchbay webhook set --account ${email} \\\n  --url ${url}`
}
