import type { ChannelInUse } from '@patchbay/contract/app/channels.ts'
import type { ProviderKindName } from '@patchbay/contract/channels.ts'
import type { ReactNode } from 'react'
import { secondTime } from '../../ui/format-time.ts'
import { Table } from '../../ui/table.tsx'
import { useNow } from '../../ui/use-now.ts'
import { senderWords } from '../connect/kind-words.ts'
import { oneWords as words } from './words.ts'

/** How much may go over the channel, and how much does. */
export function Limits({ channel, kind }: { channel: ChannelInUse; kind: ProviderKindName }) {
  const { perSecond, usualPerSecond, use } = channel
  const now = useNow('second')
  const isSlowed = use.slowedUntil !== null && Date.parse(use.slowedUntil) > now.getTime()
  const usual = usualPerSecond.toLocaleString()
  const own = senderWords[kind]
  return (
    <section className="stack stack-3" aria-label={words.limits}>
      <h2 className="h-section">{words.limits}</h2>
      <LimitTable label={words.limits}>
        <LimitRow name={own.rate} value={(perSecond ?? usualPerSecond).toLocaleString()}>
          {perSecond === null ? own.usual : words.own(usual)}
        </LimitRow>
        <LimitRow
          name={words.slow}
          value={isSlowed ? words.slowedUntil(secondTime(new Date(use.slowedUntil ?? ''))) : words.notSlowed}
        >
          {words.slowSays}
        </LimitRow>
        <LimitRow name={words.waiting} value={use.waiting >= 10_000 ? '10,000+' : use.waiting.toLocaleString()}>
          {words.waitingSays}
        </LimitRow>
        <LimitRow name={words.today} value={`${words.todayIn(use.today.in)} · ${words.todayOut(use.today.out)}`}>
          {words.todaySays}
        </LimitRow>
      </LimitTable>
    </section>
  )
}

/** What a channel may do, what it does now, and what that means. */
export function LimitTable({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="card">
      <Table label={label} inCard className="one-channel-limits">
        <thead className="sr">
          <tr>
            <th scope="col">{words.limit}</th>
            <th scope="col">{words.value}</th>
            <th scope="col">{words.about}</th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </Table>
    </div>
  )
}

export function LimitRow({ name, value, children }: { name: string; value: string; children: ReactNode }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className="num">{value}</td>
      <td className="muted one-channel-limits-about">{children}</td>
    </tr>
  )
}
