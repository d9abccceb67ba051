import assert from 'node:assert/strict'
import type { Db } from '../../../src/platform/database/db.ts'
import type { OwnerCall } from '../owner-calls.ts'
import { until } from '../until.ts'
import { startTelegram } from './telegram.ts'
import { slow } from './telegram-faults.ts'

/** A provider whose people a broadcast is sent to, beside servers in processes of their own. */
export type CastProvider = AsyncDisposable & {
  /** For `CHANNEL_ORIGINS`. */
  origins: string
  /** Connects a sender and makes so many people whom it may write to; their contacts. */
  meet: (world: { db: Db; call: OwnerCall }, people: number) => Promise<{ channelId: string; contactIds: string[] }>
  /** How many messages came to each address, of those that got any. */
  arrived: () => Map<string, number>
}

/** By the kind of the channel. Each answers late enough that requests are under way whenever something is killed. */
export const castProviders = { telegram: startTelegramCast } satisfies Record<string, () => Promise<CastProvider>>

const answersAfterMs = 150

async function startTelegramCast(): Promise<CastProvider> {
  const telegram = await startTelegram()
  const bot = telegram.addBot()
  return {
    origins: `telegram=${telegram.origin}`,
    meet: async ({ db, call }, count) => {
      await db.updateTable('accounts').set({ botActive: false }).execute()
      const { status, body } = await call('POST', '/api/channels', {
        kind: 'telegram',
        credentials: { token: bot.token },
      })
      assert.equal(status, 200, JSON.stringify(body))
      for (let n = 0; n < count; n += 1) bot.addPerson().write('Hello')
      const find = () => db.selectFrom('contactAddresses').select('contactId').execute()
      await until(async () => (await find()).length === count, 'the first messages did not come', 60_000)
      telegram.plan('sendMessage', slow(answersAfterMs), { isDone: true, times: Number.POSITIVE_INFINITY })
      return { channelId: body.id, contactIds: (await find()).map(({ contactId }) => contactId) }
    },
    arrived: () => {
      const times = new Map<string, number>()
      for (const { method, parameters } of telegram.calls) {
        const to = parameters.chat_id ?? ''
        if (method === 'sendMessage') times.set(to, (times.get(to) ?? 0) + 1)
      }
      return times
    },
    [Symbol.asyncDispose]: () => telegram[Symbol.asyncDispose](),
  }
}
