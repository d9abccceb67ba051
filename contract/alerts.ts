/** What an account can be told of. The app has a switch for each, in this order. */
export const alertConditions = ['waiting', 'receiver', 'bot', 'credits', 'broadcast', 'channel'] as const
export type AlertCondition = (typeof alertConditions)[number]
