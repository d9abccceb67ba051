/** What an account can be told of. The app has a switch for each, in this order. */
export const alertConditions = ['waiting', 'receiver', 'bot', 'credits', 'broadcast'] as const
export type AlertCondition = (typeof alertConditions)[number]

export type AlertEventName =
  | 'conversation.waiting'
  | 'receiver.failing'
  | 'receiver.recovered'
  | 'bot.trouble'
  | 'bot.recovered'
  | 'credits.low'
  | 'broadcast.halted'
  | 'test'

/** What is posted to an alert address. `text` and `content` are shown by chat tools as they are. */
export type AlertEvent = {
  text: string
  /** The same, for tools that read it from here. */
  content: string
  /** For tools that would read marks of a text, or tell everybody whom it names. */
  mrkdwn: false
  allowed_mentions: { parse: [] }
  event: AlertEventName
  id: string
  accountId: string
  at: string
  /** Where in the app to look; absent when the app has no address but this machine's. */
  link?: string
  details: Record<string, unknown>
}
