import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { useForm } from '../../ui/use-form.ts'
import { useActions } from '../data/use-actions.ts'
import { formatTime, localTime, snoozeTimes } from './snooze-times.ts'
import { teamWords as words } from './words.ts'

/** Offers a few times, and any other one. */
export function SnoozeChoices({ detail, onDone }: { detail: ConversationDetail; onDone: () => void }) {
  const { snooze, reopen } = useActions(detail.contact.id)
  const [times] = useState(() => snoozeTimes(new Date()))
  const until = async (at: Date) => {
    onDone()
    await snooze(at)
  }
  const form = useForm({
    initial: { time: localTime(times[1]?.at ?? new Date()) },
    check: ({ time }) => ({ time: !isAhead(new Date(time)) && words.notFuture }),
    send: ({ time }) => until(new Date(time)),
  })
  return (
    <div className="snooze">
      <h2 className="h-section">{words.snoozeUntil}</h2>
      {times.map(({ label, at }) => (
        <button key={label} type="button" className="snooze-time" onClick={() => void until(at)}>
          <span className="grow">{label}</span>
          <span className="faint">{formatTime(at)}</span>
        </button>
      ))}
      <form {...form.form}>
        <Field label={words.anotherTime} type="datetime-local" {...form.field('time')} />
        <Button type="submit" size="sm">
          {words.snooze}
        </Button>
      </form>
      {detail.conversation.state === 'snoozed' && (
        <Button
          size="sm"
          onClick={() => {
            onDone()
            void reopen()
          }}
        >
          {words.endSnooze}
        </Button>
      )}
      <p className="small muted">{words.snoozeEnds}</p>
    </div>
  )
}

/** Whether a time is ahead, within a year. */
function isAhead(at: Date): boolean {
  const days = (at.getTime() - Date.now()) / 86_400_000
  return days > 0 && days < 366
}
