import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import { type SubmitEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { useActions } from '../data/use-actions.ts'
import { localTime, sayTime, snoozeTimes } from './snooze-times.ts'
import { teamWords as words } from './words.ts'

/** A few times and any other one. */
export function SnoozeChoices({ detail, onDone }: { detail: ConversationDetail; onDone: () => void }) {
  const { snooze, reopen } = useActions(detail.contact.id)
  const [times] = useState(() => snoozeTimes(new Date()))
  const [own, setOwn] = useState(() => localTime(times[1]?.at ?? new Date()))
  const [error, setError] = useState<string>()
  const until = async (at: Date) => {
    onDone()
    await snooze(at)
  }
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    const at = new Date(own)
    const days = (at.getTime() - Date.now()) / 86_400_000
    if (days > 0 && days < 366) void until(at)
    else setError(words.notFuture)
  }
  return (
    <div className="snooze">
      <h2 className="h-section">{words.snoozeUntil}</h2>
      {times.map(({ label, at }) => (
        <button key={label} type="button" className="snooze-time" onClick={() => void until(at)}>
          <span className="grow">{label}</span>
          <span className="faint">{sayTime(at)}</span>
        </button>
      ))}
      <form onSubmit={onSubmit} noValidate>
        <Field
          label={words.anotherTime}
          type="datetime-local"
          value={own}
          error={error}
          onChange={(event) => setOwn(event.target.value)}
        />
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
