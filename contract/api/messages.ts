import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { optionalText, requiredText, visibleText } from '../text.ts'
import type { ApiRoute } from './route.ts'

const person = {
  firstName: optionalText(limits.nameCharacters, 'First name; fills a blank, never overwrites.'),
  lastName: optionalText(limits.nameCharacters, 'Last name; fills a blank, never overwrites.'),
  email: optionalText(limits.idCharacters, 'E-mail address; fills a blank. A malformed one is left out.'),
}

export const IncomingMessage = Type.Object({
  customData: Type.Object({
    messageSid: optionalText(limits.idCharacters, 'Your id of the message, required: a repeated one changes nothing.'),
    id: optionalText(limits.idCharacters, 'Accepted in place of `messageSid`, which wins when both are given.'),
    fromId: requiredText(limits.idCharacters, "The sender's id on your side. The same one is the same contact."),
    toId: requiredText(limits.idCharacters, 'The receiving business; any text.'),
    body: visibleText(limits.bodyBytes, 'The text of the message.'),
    status: optionalText(limits.nameCharacters, 'Status of the message; `received` if left out.'),
    channel: optionalText(limits.nameCharacters, 'Label of the source.'),
    campaignId: optionalText(limits.idCharacters, 'The bot configuration that should answer.'),
    ...person,
    mediaUrl: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'A public http(s) address, or `data:<MIME type>;base64,<data>`.',
      }),
    ),
    mediaContentType: optionalText(limits.nameCharacters, 'MIME type of the file; required with `mediaUrl`.'),
  }),
  messageType: optionalText(limits.nameCharacters, '`text`, which is the default, or `reaction`.'),
})
export type IncomingMessage = Static<typeof IncomingMessage>

export const IncomingAccepted = Type.Object({
  success: Type.Literal(true),
  messageId: Type.String({ description: 'Our id of the message.' }),
})

export const OutgoingMessage = Type.Object({
  customData: Type.Object({
    fromId: requiredText(limits.idCharacters, "The contact's id on your side."),
    customChannel: requiredText(limits.nameCharacters, 'Name of the custom channel.'),
    body: visibleText(limits.bodyBytes, 'The text of the message.'),
    campaignId: optionalText(limits.idCharacters, 'The campaign that the conversation goes to.'),
    ...person,
  }),
})
export type OutgoingMessage = Static<typeof OutgoingMessage>

export const OutgoingAccepted = Type.Object({
  success: Type.Literal(true),
  messageId: Type.String(),
  contactId: Type.String(),
  message: Type.String({ description: 'A confirmation to read.' }),
})
export type OutgoingAccepted = Static<typeof OutgoingAccepted>

/**
 * The statuses of a message that we send: `Waiting` before the first attempt, then what the specification calls `Sent`
 * and `Failed`. An incoming message has whatever status its sender gave it.
 */
export type OutgoingStatus = 'Waiting' | 'Sent' | 'Failed'

/** The body of the event that carries an outgoing message to the account holder's address. Exactly these, all strings. */
export const ReplyEvent = Type.Object({
  contactId: Type.String({ description: 'Our id of the contact.' }),
  messageId: Type.String({ description: 'Our id of the message; also the `webhook-id`.' }),
  userId: Type.String({ description: "The account holder's user id." }),
  body: Type.String({ description: 'The text.' }),
  toId: Type.String({ description: "The contact's id on your side: the `fromId` of what they sent." }),
  channel: Type.String({ description: 'Label of the custom channel.' }),
})
export type ReplyEvent = Static<typeof ReplyEvent>

/** Integrations in the field use both spellings of the two paths. */
export const messageRoutes = {
  'POST /v1/incoming_custom_channel_message': {
    guard: 'key',
    operationId: 'receiveMessage',
    tag: 'Messages',
    summary: 'Accept a message from an external system',
    description: 'It is kept, and safe on disk, before the answer. A repeated messageSid gets the first answer again.',
    alias: '/v1/incoming-custom-channel-message',
    errorShape: 'flat',
    bodyBytes: limits.incomingBytes,
    mayBeLarge: true,
    batched: true,
    body: IncomingMessage,
    reply: IncomingAccepted,
  },
  'POST /v1/send_custom_channel_message': {
    guard: 'key',
    operationId: 'sendMessage',
    tag: 'Messages',
    summary: 'Send a message to a contact',
    description:
      'It is kept, and delivered to the address saved for replies. `Idempotency-Key` makes it safe to repeat.',
    alias: '/v1/send-custom-channel-message',
    errorShape: 'flat',
    batched: true,
    body: OutgoingMessage,
    reply: OutgoingAccepted,
  },
} as const satisfies Record<string, ApiRoute>
