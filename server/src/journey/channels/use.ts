import type { Channel, ChannelInUse, CustomChannels } from '@patchbay/contract/app/channels.ts'
import { isChannelId } from '../../outbox/receivers.ts'
import { findChannels, listChannels } from '../../people/contacts/channel-store.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { type CustomRow, findCustomUse, readUse, type UseRow } from './use-store.ts'

/** Messages of this day: of all custom channels together, and of one channel by its label. */
export type Today = { custom: Counted; of: (label: string) => Counted }
type Counted = { in: number; out: number }

export type UseCtx = Readonly<{
  db: Db
  /** It is of the reports, which build on this room. */
  readToday: (accountId: AccountId) => Promise<Today>
}>

/** Channels with what goes over them. */
export async function addUse(
  { db, readToday }: UseCtx,
  accountId: AccountId,
  channels: Channel[],
): Promise<ChannelInUse[]> {
  if (channels.length === 0) return []
  const ids = channels.map(({ id }) => id).filter(isChannelId)
  const [used, today, shown] = await Promise.all([
    readUse(db, accountId, ids),
    readToday(accountId),
    findChannels(db, accountId, ids),
  ])
  const time = (at: Date | null | undefined) => at?.toISOString() ?? null
  return channels.map((channel) => {
    const row: UseRow | undefined = used.get(channel.id)
    const { colour } = shown(channel.id)
    return {
      ...channel,
      use: {
        ...{ colour, today: today.of(channel.id), waiting: row?.waiting ?? 0, lastOutAt: time(row?.lastOutAt) },
        ...{ slowedUntil: time(row?.slowedUntil), silentSince: time(row?.silentSince) },
      },
    }
  })
}

const mostNamed = 3

/** The custom channels, if there are any, or an address that replies to them are posted to. */
export async function showCustom({ db, readToday }: UseCtx, accountId: AccountId): Promise<CustomChannels | null> {
  const [row, labels] = await Promise.all([findCustomUse(db, accountId), listChannels(db, accountId)])
  const custom = labels.filter(({ kind }) => kind === null)
  if (!row && custom.length === 0) return null
  const today = await readToday(accountId)
  return {
    names: custom.slice(0, mostNamed).map(({ name }) => name),
    moreNames: Math.max(0, custom.length - mostNamed),
    host: row ? (URL.parse(row.url)?.host ?? row.url) : null,
    state: stateOf(row),
    use: {
      ...{ colour: custom[0]?.colour ?? 1, today: today.custom },
      ...{ lastOutAt: row?.lastOutAt?.toISOString() ?? null, waiting: row?.waiting ?? 0 },
    },
  }
}

function stateOf(row: CustomRow | undefined): CustomChannels['state'] {
  if (!row) return 'none'
  if (row.pausedAt) return 'paused'
  if (row.goneAt) return 'gone'
  return row.failuresInRow > 0 ? 'failing' : 'working'
}
