import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import type { ShownState } from '../parts/state-of.ts'
import { tableWords as words } from './words.ts'

type Row = { state: ShownState; use: Pick<ChannelInUse['use'], 'today'> }

/** All channels in a sentence or two. */
export function Summary({ rows }: { rows: readonly Row[] }) {
  const count = (wanted: ShownState) => rows.filter(({ state }) => state === wanted).length
  const inNeed = count('attention')
  const others = (['held', 'paused', 'connecting'] as const).flatMap((state) => {
    const found = count(state)
    return found === 0 ? [] : words[state](found)
  })
  const sum = (way: 'in' | 'out') => rows.reduce((all, { use }) => all + use.today[way], 0)
  const first = inNeed === 0 ? words.noneNeeds(rows.length) : words.need(inNeed, rows.length)
  return (
    <p className="bar channels-summary">
      <span>
        <b className="strong">{others.length === 0 ? `${first}.` : `${first},`}</b>{' '}
        <span className="muted">
          {others.length > 0 && `${others.join(', ')}.`} {words.summaryToday(sum('in'), sum('out'))}
        </span>
      </span>
    </p>
  )
}
