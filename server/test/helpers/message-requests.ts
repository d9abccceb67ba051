import type { TestApp } from './harness.ts'

export const incomingPath = '/incoming_custom_channel_message'
export const sendPath = '/send_custom_channel_message'

type Fields = Record<string, unknown>

/** A valid incoming message, with these fields changed. */
export function incoming(over: Fields = {}): { customData: Fields } {
  return { customData: { messageSid: 'sid-1', fromId: 'ana', toId: 'shop', body: 'Hello', ...over } }
}

/** A valid outgoing message, with these fields changed. */
export function outgoing(over: Fields = {}): { customData: Fields } {
  return { customData: { fromId: 'ana', customChannel: 'chat', body: 'Hi', ...over } }
}

const tables = [
  ...(['contacts', 'conversations', 'messages', 'turns', 'deliveries'] as const),
  ...(['media', 'mediaChunks', 'attachments', 'idempotencyKeys'] as const),
]

/** The number of rows in all tables that a message may write to. */
export async function countTraces({ db }: TestApp): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const { count } = await db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow()
    if (count !== '0') counts[table] = Number(count)
  }
  return counts
}
