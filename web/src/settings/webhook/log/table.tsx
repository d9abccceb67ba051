import type { Delivery } from '@patchbay/contract/app/webhook.ts'
import Bot from 'lucide-react/icons/bot'
import Braces from 'lucide-react/icons/braces'
import Check from 'lucide-react/icons/check'
import Clock from 'lucide-react/icons/clock'
import Pause from 'lucide-react/icons/pause'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import UserRound from 'lucide-react/icons/user-round'
import X from 'lucide-react/icons/x'
import { Fragment, type ReactNode } from 'react'
import { ChannelMark } from '../../../ui/channel.tsx'
import { countdown } from '../../../ui/countdown.ts'
import { clockTime, exactTime } from '../../../ui/format-time.ts'
import { Table } from '../../../ui/table.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { shortCause } from './short-cause-words.ts'
import { deliveryWords as words } from './words.ts'

type Props = {
  deliveries: readonly Delivery[]
  chosen: string | undefined
  choose: (id: string | undefined) => void
  isBreakerOpen: boolean
  /** The detail where there is no room beside the list: shown under the row that is chosen. */
  detail?: ReactNode
}

export function LogTable({ deliveries, chosen, choose, isBreakerOpen, detail }: Props) {
  return (
    <Table label={words.deliveries} inCard className="log-table">
      <thead>
        <tr>
          <th scope="col">{words.status}</th>
          <th scope="col">{words.reply}</th>
          <th scope="col">{words.tries}</th>
          <th scope="col">{words.nextAt}</th>
        </tr>
      </thead>
      <tbody>
        {deliveries.map((delivery) => {
          const isChosen = delivery.id === chosen
          return (
            <Fragment key={delivery.id}>
              <Row
                delivery={delivery}
                isChosen={isChosen}
                isBreakerOpen={isBreakerOpen}
                isOpen={isChosen && detail !== undefined}
                choose={() => choose(isChosen && detail !== undefined ? undefined : delivery.id)}
              />
              {isChosen && detail !== undefined && (
                <tr className="detail-row">
                  <td colSpan={4}>{detail}</td>
                </tr>
              )}
            </Fragment>
          )
        })}
      </tbody>
    </Table>
  )
}

type RowProps = { delivery: Delivery; isChosen: boolean; isOpen: boolean; isBreakerOpen: boolean; choose: () => void }

function Row({ delivery, isChosen, isOpen, isBreakerOpen, choose }: RowProps) {
  const { id, contactName, channel, author, text, status, attempts, askedAttempts, maxAttempts, nextAttemptAt } =
    delivery
  const Author = authorIcons[author]
  return (
    <tr aria-selected={isChosen} className="log-row">
      <td className="log-nowrap">
        <Status delivery={delivery} />
      </td>
      <th scope="row" className="log-reply">
        <div className="row log-tight">
          <ChannelMark channel={channel} />
          <button
            type="button"
            id={`row-${id}`}
            className="log-open"
            aria-expanded={isOpen || undefined}
            onClick={choose}
          >
            <bdi className="cut">{contactName ?? words.noName}</bdi>
          </button>
          <span className="muted row log-tight log-text">
            <Author className="i i-14" />
            <span className="sr">{words.authors[author]}: </span>
            <span className="cut" dir="auto">
              {text}
            </span>
          </span>
        </div>
      </th>
      <td className="mono log-nowrap log-tries">
        {status === 'Failed' && nextAttemptAt !== null
          ? words.ofTries(attempts - askedAttempts, maxAttempts)
          : attempts}
      </td>
      <td className="small log-nowrap">
        <NextOrAt delivery={delivery} isBreakerOpen={isBreakerOpen} />
      </td>
    </tr>
  )
}

const authorIcons = { bot: Bot, person: UserRound, api: Braces }

function Status({ delivery: { status, fault, nextAttemptAt } }: { delivery: Delivery }) {
  if (status === 'Sent') {
    return (
      <Tag tone="line">
        <Check className="i i-14" />
        {words.statusOf.Sent}
      </Tag>
    )
  }
  if (status === 'Waiting') {
    return (
      <Tag tone="line">
        <Clock className="i i-14" />
        {words.statusOf.Waiting}
      </Tag>
    )
  }
  const isHeld = fault?.category === 'endpoint_paused'
  const Icon = isHeld ? Pause : nextAttemptAt === null ? X : TriangleAlert
  return (
    <span className="row log-tight">
      <Tag tone={isHeld ? 'wait' : 'fail'}>
        <Icon className="i i-14" />
        {isHeld ? words.held : nextAttemptAt === null ? words.gaveUp : words.statusOf.Failed}
      </Tag>
      {fault && <span className="mono muted log-cause">{shortCause(fault)}</span>}
    </span>
  )
}

function NextOrAt({ delivery, isBreakerOpen }: { delivery: Delivery; isBreakerOpen: boolean }) {
  const { status, fault, sentAt, lastAttemptAt, nextAttemptAt, createdAt } = delivery
  const now = useNow(nextAttemptAt === null ? 'minute' : 'second')
  const at = (time: string) => (
    <time dateTime={time} title={exactTime(new Date(time))}>
      {clockTime(new Date(time), now)}
    </time>
  )
  if (status === 'Waiting') return words.inLine
  if (status === 'Sent') return at(sentAt ?? createdAt)
  if (fault?.category === 'endpoint_paused') return words.whenResumed
  if (fault?.category === 'no_endpoint') return words.noAddress
  if (nextAttemptAt === null) {
    return (
      <>
        {words.gaveUpAt('')}
        {at(lastAttemptAt ?? createdAt)}
      </>
    )
  }
  const left = Date.parse(nextAttemptAt) - now.getTime()
  if (left > 0) return words.inTime(countdown(left))
  return isBreakerOpen ? words.inLine : words.now
}
