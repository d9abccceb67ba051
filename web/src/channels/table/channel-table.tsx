import type { ChannelInUse, CustomChannels } from '@patchbay/contract/app/channels.ts'
import { Table } from '../../ui/table.tsx'
import { useNow } from '../../ui/use-now.ts'
import { customStates, type ShownState, stateOf } from '../parts/state-of.ts'
import { ChannelRow } from './channel-row.tsx'
import { CustomRow } from './custom-row.tsx'
import { Summary } from './summary.tsx'
import { tableWords as words } from './words.ts'

type Props = { channels: readonly ChannelInUse[]; custom: CustomChannels | null; isOwner: boolean }

/** Is everything plugged in? Those in need come first; otherwise the order in which they were connected stays. */
export function ChannelTable({ channels, custom, isOwner }: Props) {
  const now = useNow(channels.some(({ use }) => use.slowedUntil !== null) ? 'second' : 'minute')
  const rows = [
    ...channels.map((channel) => {
      const state = stateOf(channel, now)
      const row = <ChannelRow channel={channel} state={state} isOwner={isOwner} key={channel.id} />
      return { state, use: channel.use, row }
    }),
    ...(custom
      ? [{ state: customStates[custom.state], use: custom.use, row: <CustomRow custom={custom} key="" /> }]
      : []),
  ]
  return (
    <>
      <Summary rows={rows} />
      <Table label={words.name} className="channels-table">
        <thead>
          <tr>
            <th>{words.name}</th>
            <th>{words.state}</th>
            <th>{words.last}</th>
            <th className="num">{words.today}</th>
            <th>{words.about}</th>
          </tr>
        </thead>
        <tbody>{rows.toSorted((one, other) => rankOf(other) - rankOf(one)).map(({ row }) => row)}</tbody>
      </Table>
    </>
  )
}

/** The later, the sooner somebody has to look. What passes by itself moves nothing. */
const ranks: readonly ShownState[] = ['connecting', 'held', 'attention']

function rankOf({ state }: { state: ShownState }): number {
  return ranks.indexOf(state)
}
