import type { Sent } from './sender.ts'

export const incomingPath = '/v1/incoming_custom_channel_message'
export const outgoingPath = '/v1/send_custom_channel_message'

/** A request of the public API. */
export function post(apiKey: string, path: string, body: unknown): Sent {
  return { method: 'POST', path, headers: { 'x-api-key': apiKey }, body: JSON.stringify(body) }
}
