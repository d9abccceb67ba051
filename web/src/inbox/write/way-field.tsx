import '../../ui/check.css'
import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useId } from 'react'
import { ChannelMark } from '../../ui/channel.tsx'
import { ErrorLine } from '../../ui/field.tsx'
import { formatPhone } from '../../ui/format-phone.ts'
import { labelOfWay, nameOfWay } from '../compose/name-of-way.ts'
import { sayWhyNot } from '../compose/why-not.ts'
import { composeWords } from '../compose/words.ts'
import { writeWords as words } from './words.ts'

type Props = {
  ways: readonly ReplyWay[]
  value: string | undefined
  error: ReactNode
  isToNumber: boolean
  onChoose: (channelId: string) => void
}

/** The ways to write to somebody. Those that cannot be used stay, with their reason. */
export function WayField({ ways, value, error, isToNumber, onChoose }: Props) {
  const id = useId()
  if (ways.length === 0) {
    return (
      <p className="muted">
        {isToNumber ? words.noWayToNumber : words.noWay} <Link to="/channels">{words.toChannels}</Link>
      </p>
    )
  }
  return (
    <fieldset className="write-ways" aria-describedby={error ? `${id}-error` : undefined}>
      <legend className="label">{words.by}</legend>
      {ways.map((way) => (
        <Way
          key={way.channelId}
          way={way}
          id={`${id}-${way.channelId}`}
          isChecked={way.channelId === value}
          onChoose={() => onChoose(way.channelId)}
        />
      ))}
      <ErrorLine id={`${id}-error`} error={error} />
    </fieldset>
  )
}

type WayProps = { way: ReplyWay; id: string; isChecked: boolean; onChoose: () => void }

function Way({ way, id, isChecked, onChoose }: WayProps) {
  const whyNot = sayWhyNot(way)
  const says = whyNot ?? (way.waits && composeWords.waits[way.waits])
  const label = labelOfWay(way)
  return (
    <label className="write-way" htmlFor={id}>
      <input
        type="radio"
        className="check"
        id={id}
        name="channelId"
        checked={isChecked}
        disabled={whyNot !== undefined}
        onChange={onChoose}
      />
      <span className="write-way-mark" aria-hidden="true">
        <ChannelMark channel={way.channel} />
      </span>
      <span className="cut">
        {nameOfWay(way)} {label && <bdi className="muted">· {label}</bdi>}
      </span>
      {way.address !== null && <bdi className="small muted cut">{formatPhone(way.address)}</bdi>}
      {says && <span className="write-way-says small">{says}</span>}
    </label>
  )
}
