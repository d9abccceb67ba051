import type { Channel } from '@patchbay/contract/app/channels.ts'
import { sql } from 'kysely'
import { pino } from 'pino'
import type { Receipt } from '../../../src/journey/channels/kinds/kind.ts'
import { hasProvider, openChannels } from '../../../src/journey/channels/open-channels.ts'
import { openTakeIn } from '../../../src/journey/provider-events/take-in.ts'
import type { AccountId, ChannelId } from '../../../src/platform/ids.ts'
import { secretKey, type TestApp } from '../harness.ts'

type Said = Partial<Receipt> & Pick<Receipt, 'says'>

export type SayReceipts = (receipts: Said[]) => Promise<void>

/** What a provider says of messages over a channel, as our hook reads it: all of a request together. */
export async function openReceipts(
  { app, accountId }: { app: TestApp; accountId: AccountId },
  { id }: Pick<Channel, 'id'>,
): Promise<SayReceipts> {
  const log = pino({ enabled: false })
  const channel = await openChannels({ db: app.db, secretKey, log }).find({ accountId, id: id as ChannelId }) // an answer of ours says it
  if (!hasProvider(channel)) throw new Error(`${id} has no provider`)
  const nobody = () => Promise.reject(new Error('a receipt asks nobody'))
  const takeIn = openTakeIn({ db: app.db, receive: nobody, call: nobody, hint: () => {}, log })
  const nothing = { is: 'receipt', providerId: '', ours: null, code: null, detail: null, effect: null } as const
  return async (receipts) => {
    await takeIn(
      channel,
      receipts.map((receipt) => ({ ...nothing, at: Date.now(), ...receipt })),
    )
  }
}

/** Everything that a receipt may change, a row for each part. */
export async function sentRows({ app }: { app: TestApp }) {
  const { rows } = await sql<{
    id: string
    n: number
    body: string
    providerId: string | null
    status: 'Sent' | 'Failed' | 'Waiting'
    category: string | null
    detail: string | null
    attempts: number
    part: string
    whole: string
    isDue: boolean
    isAwaited: boolean | null
    resentAt: Date | null
    says: string | null
  }>`
    select d.id, p.n, m.body, p.provider_id, d.error_category as category, d.error_detail as detail, d.attempts,
      case when d.sent_at is not null then 'Sent' when d.error_category is not null then 'Failed' else 'Waiting' end as status,
      ${stateOf('p')} || case when p.failed_at is not null then 'F' when p.accepted_at is not null then 'A' else '-' end as part,
      ${stateOf('d')} as whole, d.due_at is not null as is_due, d.awaits_receipt_until > now() as is_awaited, p.resent_at,
      p.provider_says as says
    from deliveries d join messages m on m.account_id = d.account_id and m.id = d.id
    join delivery_parts p on p.account_id = d.account_id and p.delivery_id = d.id
    order by m.seq, p.n
  `.execute(app.db)
  return rows
}

/** What was read without having arrived would be a `!`. */
const stateOf = (row: string) =>
  sql.raw(`case when ${row}.read_at is not null then case when ${row}.delivered_at is null then '!' else 'R' end
    when ${row}.delivered_at is not null then 'D' else '-' end`)
