import type { RawBuilder } from 'kysely'
import type { LeasedEvent } from '../../../outbox/enqueue-events.ts'
import { isChannelId } from '../../../outbox/receivers.ts'
import type { Tx } from '../../../platform/database/db.ts'
import type { ContactId } from '../../../platform/ids.ts'
import type { Broadcast } from '../record/store.ts'
import { findWay, ratePerMinuteOver } from '../record/way.ts'
import { mayMake } from './pace.ts'
import type { OmittedRecipient, Pace } from './recipient-store.ts'
import { writeOverChannel } from './write-over-channel.ts'
import { writeToRecipients } from './write-to-recipients.ts'

/** The messages of one step. */
export type Batch = {
  /** To whom one was made. */
  recipients: ContactId[]
  /** Deliveries that this process has from the start. */
  leased: LeasedEvent[]
  leftOut: OmittedRecipient[]
  /** Nothing can be sent to the next one. */
  isHeldUp: boolean
  /** When there may be the next one, and by when those made so far should have been made. */
  againInMs: number
  pacedAt: RawBuilder<Date>
}

type Ctx = Readonly<{ secretKey: Buffer; window: number; channelWindow: number }>
type Given = { broadcast: Broadcast; pace: Pace; reserve: () => string[] }

/** Makes the next messages, as many as may be made now. */
export function makeBatch(ctx: Ctx, tx: Tx, given: Given): Promise<Batch> {
  return isChannelId(given.broadcast.channel) ? makeOverChannel(ctx, tx, given) : makeCustom(ctx, tx, given)
}

/** While their receiver can take nothing, simulated contacts alone get theirs. */
async function makeCustom({ secretKey, window }: Ctx, tx: Tx, { broadcast, pace, reserve }: Given): Promise<Batch> {
  const { most, pacedAt, againInMs } = mayMake(broadcast.ratePerMinute, pace, window)
  const asked = { broadcast, most, onlySimulated: pace.trouble !== null, tokens: reserve() }
  const written = await writeToRecipients(secretKey, tx, asked)
  return { ...written, againInMs, pacedAt: pacedAt(written.recipients.length) }
}

/**
 * While a provider is silent, one message is made and waits with its channel, which begins it when the provider answers: it shows that
 * the others may follow.
 */
async function makeOverChannel({ secretKey, channelWindow }: Ctx, tx: Tx, { broadcast, pace }: Given): Promise<Batch> {
  const way = await findWay(tx, broadcast.accountId, broadcast.channel)
  const rate = way ? ratePerMinuteOver(way, broadcast) : broadcast.ratePerMinute
  const { most, pacedAt, againInMs } = mayMake(rate, pace, pace.trouble === null ? channelWindow : 1)
  const none = { recipients: [], leased: [], leftOut: [], againInMs, pacedAt: pacedAt(0) }
  if (!way) return { ...none, isHeldUp: true }
  const mayTry = pace.trouble === null || pace.trouble === 'endpoint_failing'
  const { affordable, unitsPerMessage } = pace
  const asked = { broadcast, way, unitsPerMessage, most: mayTry ? Math.min(most, affordable ?? most) : 0 }
  const written = await writeOverChannel(secretKey, tx, asked)
  const { recipients, leftOut, turns, hasMore } = written
  const isHeldUp = pace.trouble !== null && (hasMore || recipients.length > 0)
  return { ...none, recipients, leftOut, isHeldUp, pacedAt: pacedAt(turns) }
}
