import { useQuery } from '@tanstack/react-query'
import { read } from '../../../data/queries.ts'
import { ErrorLine, Field } from '../../../ui/field.tsx'
import { Seg } from '../../../ui/seg.tsx'
import { TimeZones, timeZones } from '../../../ui/time-zones.tsx'
import type { ChatForm } from '../form/use-chat-form.ts'
import { chatWords as words } from '../words.ts'
import { ClosedDays } from './closed-days.tsx'
import { Week } from './week.tsx'
import { openDay } from './windows.ts'

/** Always, or a week of hours in a zone, with days on which nobody is there. */
export function HoursField({ form, mayChange }: { form: ChatForm; mayChange: boolean }) {
  const { hours } = form.values
  const { base } = form
  const zone = useQuery(read('GET /api/account')).data?.timeZone ?? 'UTC'
  const choose = (chosen: 'always' | 'hours') => {
    if (chosen === 'always') return form.set({ hours: null, zone: base.values.zone })
    const weekdays = [1, 2, 3, 4, 5].reduce(openDay, [])
    if (hours) return
    form.set({ hours: base.values.hours ?? { windows: weekdays, closed: [] }, zone: base.values.zone || zone })
  }
  return (
    <>
      <div className="field">
        <span className="label">{words.people}</span>
        <Seg
          label={words.people}
          value={hours ? 'hours' : 'always'}
          options={[
            { value: 'always', label: words.always },
            { value: 'hours', label: words.atHours },
          ]}
          onChange={choose}
        />
      </div>
      {hours && (
        <>
          <Week
            windows={hours.windows}
            mayChange={mayChange}
            onChange={(windows) => form.set({ hours: { ...hours, windows } })}
          />
          <ErrorLine error={form.errors.hours} />
          <div className="chat-set-two">
            <Field
              label={words.zone}
              list={timeZones}
              autoComplete="off"
              spellCheck={false}
              maxLength={64}
              {...form.field('zone')}
            />
            <ClosedDays
              closed={hours.closed}
              mayChange={mayChange}
              onChange={(closed) => form.set({ hours: { ...hours, closed } })}
            />
          </div>
          <TimeZones />
        </>
      )}
    </>
  )
}
