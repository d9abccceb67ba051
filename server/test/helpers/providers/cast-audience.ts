import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Db } from '../../../src/platform/database/db.ts'
import { type AccountId, newId } from '../../../src/platform/ids.ts'
import { freePort } from '../free-port.ts'
import type { OwnerCall } from '../owner-calls.ts'
import { until } from '../until.ts'
import { startEntrance } from './entrance.ts'
import { startTelegram } from './telegram.ts'
import { slow } from './telegram-faults.ts'
import { startTwilio } from './twilio.ts'

/** A provider whose people a broadcast is sent to, beside servers in processes of their own. */
export type CastProvider = AsyncDisposable & {
  environment: Record<string, string>
  /** Of the server that is called. */
  ofApi: Record<string, string>
  /** Connects a sender and makes so many people whom it may write to; their contacts. */
  meet: (
    world: { db: Db; accountId: AccountId; call: OwnerCall },
    people: number,
  ) => Promise<{ channelId: string; contactIds: string[] }>
  /** How many messages came to each address, of those that got any. */
  arrived: () => Map<string, number>
}

/** By the kind of the channel. Each answers late enough that requests are under way whenever something is killed. */
export const castProviders = { telegram: startTelegramCast, sms: startSmsCast } satisfies Record<
  string,
  () => Promise<CastProvider>
>

const answersAfterMs = 150

const late = [slow(answersAfterMs), { isDone: true, times: Number.POSITIVE_INFINITY }] as const

async function startTelegramCast(): Promise<CastProvider> {
  const telegram = await startTelegram()
  const bot = telegram.addBot()
  return {
    environment: { CHANNEL_ORIGINS: `telegram=${telegram.origin}` },
    ofApi: {},
    meet: async ({ db, call }, count) => {
      await db.updateTable('accounts').set({ botActive: false }).execute()
      const channelId = await connect(call, { kind: 'telegram', credentials: { token: bot.token } })
      for (let n = 0; n < count; n += 1) bot.addPerson().write('Hello')
      const find = () => db.selectFrom('contactAddresses').select('contactId').execute()
      await until(async () => (await find()).length === count, 'the first messages did not come', 60_000)
      telegram.plan('sendMessage', ...late)
      return { channelId, contactIds: (await find()).map(({ contactId }) => contactId) }
    },
    arrived: () => {
      const sends = telegram.calls.filter(({ method }) => method === 'sendMessage')
      return countOf(sends.map(({ parameters }) => parameters.chat_id ?? ''))
    },
    [Symbol.asyncDispose]: () => telegram[Symbol.asyncDispose](),
  }
}

/** People who have never written: they have a phone number. */
async function startSmsCast(): Promise<CastProvider> {
  await using starting = new AsyncDisposableStack()
  const twilio = starting.use(await startTwilio())
  const entrance = starting.use(await startEntrance())
  const port = await freePort()
  entrance.leadTo(`https://127.0.0.1:${port}`)
  const account = twilio.addAccount()
  const sender = account.addNumber().phone_number
  const started = starting.move()
  return {
    environment: { CHANNEL_ORIGINS: twilio.origins, PUBLIC_URL: entrance.url },
    ofApi: { PORT: String(port) },
    meet: async ({ db, accountId, call }, count) => {
      const channelId = await connect(call, { kind: 'sms', credentials: account.credentials(sender) })
      const contactIds = Array.from({ length: count }, () => newId('con')).sort()
      await sql`
        insert into contacts (account_id, id, phone)
        select ${accountId}, id, '+1303556' || lpad(n::text, 4, '0')
        from unnest(${contactIds}::text[]) with ordinality as k (id, n)
      `.execute(db)
      twilio.plan('send', ...late)
      return { channelId, contactIds }
    },
    arrived: () =>
      countOf(account.messages.filter(({ direction }) => direction === 'outbound-api').map(({ to }) => to)),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

async function connect(call: OwnerCall, given: { kind: string; credentials: object }): Promise<string> {
  const { status, body } = await call('POST', '/api/channels', given)
  assert.equal(status, 200, JSON.stringify(body))
  return body.id
}

function countOf(addresses: string[]): Map<string, number> {
  const all = Map.groupBy(addresses, (address) => address)
  return new Map([...all].map(([address, times]) => [address, times.length]))
}
