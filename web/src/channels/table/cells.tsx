import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import { Time } from '../../ui/time.tsx'
import type { ShownState } from '../parts/state-of.ts'
import { StateTag } from '../parts/state-tag.tsx'
import { tableWords as words } from './words.ts'

type Props = {
  state: ShownState
  today: ChannelInUse['use']['today']
  lastInAt: string | null
  lastOutAt: string | null
}

/** What every row has between its name and what is said about it. */
export function Cells({ state, today, lastInAt, lastOutAt }: Props) {
  return (
    <>
      <td>
        <StateTag state={state} />
      </td>
      <td data-label={words.last} className="channels-last">
        <Last lastInAt={lastInAt} lastOutAt={lastOutAt} />
      </td>
      <td data-label={words.todayLabel} className="num">
        {today.in.toLocaleString()} / {today.out.toLocaleString()}
      </td>
    </>
  )
}

function Last({ lastInAt, lastOutAt }: Pick<Props, 'lastInAt' | 'lastOutAt'>) {
  const isOut = (lastOutAt ?? '') > (lastInAt ?? '')
  const at = isOut ? lastOutAt : lastInAt
  if (at === null) return <span className="faint">{words.never}</span>
  return (
    <>
      {isOut ? words.wentOut : words.cameIn}, <Time at={at} />
    </>
  )
}
