import type { Static } from 'typebox'
import { Type } from './schema.ts'

export const alertEventNames = [
  'conversation.waiting',
  'receiver.failing',
  'receiver.recovered',
  'bot.trouble',
  'bot.recovered',
  'credits.low',
  'broadcast.halted',
  'channel.attention',
  'channel.recovered',
  'test',
] as const
export type AlertEventName = (typeof alertEventNames)[number]

/** The body of the event that tells an account's alert address what somebody should know. */
export const AlertEvent = Type.Object({
  text: Type.String({ description: 'What happened, in plain text, which chat tools show as it is.' }),
  content: Type.String({ description: 'The same, for tools that read it from here.' }),
  // For tools that would read marks of a text, or tell everybody whom it names.
  mrkdwn: Type.Literal(false),
  allowed_mentions: Type.Unsafe<{ parse: [] }>({
    type: 'object',
    required: ['parse'],
    properties: { parse: { type: 'array', maxItems: 0 } },
  }),
  event: Type.Unsafe<AlertEventName>({ type: 'string', enum: [...alertEventNames] }),
  id: Type.String({ description: 'Also the `webhook-id`.' }),
  accountId: Type.String(),
  at: Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' }),
  link: Type.Optional(
    Type.String({ description: 'Where in the app to look; absent where the app has no address that others can open.' }),
  ),
  details: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'What there is to know, by `event`: docs/webhooks.md has a line on each.',
  }),
})
export type AlertEvent = Static<typeof AlertEvent>
