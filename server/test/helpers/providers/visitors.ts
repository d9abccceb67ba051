import { createHash, randomUUID } from 'node:crypto'
import { openReceiveFromChannel } from '../../../src/journey/intake/channel-messages/receive-from-channel.ts'
import { openFairShare } from '../../../src/platform/database/fair-share.ts'
import type { AccountId, ChannelId, ContactId } from '../../../src/platform/ids.ts'
import { sendHints } from '../../../src/platform/notify/hints.ts'
import { secretKey, type TestApp } from '../harness.ts'

/** Somebody on a page of the shop, by the rows that they leave: nothing here speaks for their browser. */
export type Visitor = {
  /** Of the browser, or the customer's id. */
  address: string
  /** Keeps a message of theirs, and returns whose it is. */
  write: (body: string, data?: Record<string, unknown>, names?: Partial<Names>) => Promise<ContactId>
}

type Names = { firstName: string | null; lastName: string | null }

/** A browser with this key, or a customer with this id. */
export function openVisitor(
  { db, instruments }: Pick<TestApp, 'db' | 'instruments'>,
  { accountId, channelId }: { accountId: AccountId; channelId: ChannelId },
  who: { key: string } | { sub: string },
): Visitor {
  const [kind, address] =
    'key' in who
      ? ['browser', createHash('sha256').update(`${channelId} ${who.key}`).digest('hex')]
      : ['member', who.sub]
  const receive = openReceiveFromChannel({
    db,
    share: openFairShare({ slots: 4, mostWaiting: 100, longestWaitMs: 10_000 }),
    secretKey,
    hint: (of, changed) => void sendHints(db, of, [changed]),
    instruments,
  })
  return {
    address,
    write: async (body, data = {}, names = {}) => {
      const messageSid = `${channelId}:${createHash('sha256').update(`${kind} ${address}`).digest('hex').slice(0, 24)}/${randomUUID()}`
      const { messageId } = await receive({
        ...{ accountId, channelId, messageSid, addresses: [{ kind, address }], kind: 'text', body, at: Date.now() },
        ...{ names: { firstName: null, lastName: null, username: null, ...names } },
        ...{ mayBeAnswered: true, file: null, replyTo: null, data },
      })
      const { contactId } = await db
        .selectFrom('messages')
        .select('contactId')
        .where('accountId', '=', accountId)
        .where('id', '=', messageId)
        .executeTakeFirstOrThrow()
      return contactId
    },
  }
}
