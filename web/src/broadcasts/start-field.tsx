import type { Moment } from '@patchbay/contract/local-time.ts'
import Info from 'lucide-react/icons/info'
import type { ComponentProps } from 'react'
import { Field } from '../ui/field.tsx'
import { Note } from '../ui/note.tsx'
import { Seg } from '../ui/seg.tsx'
import { broadcastWords as words } from './words.ts'
import { zonedTime } from './zoned-time.tsx'

type Choice = Omit<ComponentProps<typeof Field>, 'label'>

type Props = {
  start: 'now' | 'later'
  zone: string
  moment: Moment | undefined
  onStart: (start: 'now' | 'later') => void
  date: Choice
  time: Choice
}

/** At once, or at a time of the account's clock; what clocks do at that moment is said. */
export function StartField({ start, zone, moment, onStart, date, time }: Props) {
  return (
    <div className="broadcast-form-whole stack">
      <span className="label" aria-hidden="true">
        {words.start}
      </span>
      <div>
        <Seg
          label={words.start}
          value={start}
          options={[
            { value: 'now', label: words.startNow },
            { value: 'later', label: words.startLater },
          ]}
          onChange={onStart}
        />
      </div>
      {start === 'later' && (
        <>
          <div className="broadcast-start">
            <Field type="date" {...date} label={words.startDate} hint={words.startZone(zone)} />
            <Field type="time" {...time} label={words.startTime} />
          </div>
          {moment && moment.clock !== 'once' && (
            <Note icon={Info} role="status">
              {moment.clock === 'skipped' ? words.skipped : words.twice} {words.startsThen(zonedTime(moment.at, zone))}
            </Note>
          )}
        </>
      )}
    </div>
  )
}
