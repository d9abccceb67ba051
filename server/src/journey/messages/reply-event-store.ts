import type { ReplyEvent } from '@patchbay/contract/api/messages.ts'

/** The text of a JSON object in SQL, with the bytes that `JSON.stringify` makes. The values are expressions of text. */
function jsonText(fields: Record<string, string>): string {
  const parts = Object.entries(fields).map(([name, value]) => `"${name}":' || to_json(${value}) || '`)
  return `'{${parts.join(',')}}'`
}

/**
 * The body, in SQL, of the event that carries an outgoing message, made of the row `fresh`. Every attempt sends these
 * bytes.
 */
export const replyEvent = jsonText({
  contactId: 'contact_id',
  messageId: 'id',
  userId: `
      (select u.id from users u where u.account_id = fresh.account_id and u.is_holder)
    `,
  body: 'body',
  toId: 'to_id',
  channel: 'channel',
} satisfies Record<keyof ReplyEvent, string>)
