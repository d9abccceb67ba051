import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import { Link } from '@tanstack/react-router'
import { hasOwnName, KindMark, kindNames } from '../../ui/channel.tsx'
import type { ShownState } from '../parts/state-of.ts'
import { Cells } from './cells.tsx'
import { Need } from './need.tsx'
import { RowNote } from './row-note.tsx'

type Props = { channel: ChannelInUse; state: ShownState; isOwner: boolean }

export function ChannelRow({ channel, state, isOwner }: Props) {
  const { id, kind, name, address, use, lastEventAt } = channel
  return (
    <>
      <tr className={state === 'attention' ? 'channels-has-more' : undefined}>
        <th scope="row">
          <Link to="/channels/$channelId" params={{ channelId: id }} className="channels-name">
            <KindMark kind={kind} colour={use.colour} />
            <b className="strong">
              <bdi>{name}</bdi>
            </b>
            <span className="small muted">
              {hasOwnName(channel) && `${kindNames[kind]} · `}
              <bdi className="mono">{address}</bdi>
            </span>
          </Link>
        </th>
        <Cells state={state} today={use.today} lastInAt={lastEventAt} lastOutAt={use.lastOutAt} />
        <td className="channels-about">
          <RowNote channel={channel} state={state} isOwner={isOwner} />
        </td>
      </tr>
      {state === 'attention' && (
        <tr className="channels-more">
          <td colSpan={5}>
            <Need channel={channel} isOwner={isOwner} />
          </td>
        </tr>
      )}
    </>
  )
}
