import X from 'lucide-react/icons/x'
import { useId, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { chatWords as words } from '../words.ts'

type Props = { closed: readonly string[]; mayChange: boolean; onChange: (closed: string[]) => void }

/** Whole days on which nobody is there. */
export function ClosedDays({ closed, mayChange, onChange }: Props) {
  const [day, setDay] = useState('')
  const id = useId()
  const add = () => {
    if (day === '') return
    onChange([...new Set([...closed, day])].sort())
    setDay('')
  }
  return (
    <fieldset className="field chat-set-fieldset" aria-describedby={id}>
      <legend className="label">{words.closed}</legend>
      {closed.length > 0 && (
        <ul className="row wrap chat-set-tags">
          {closed.map((one) => (
            <li className="tag" key={one}>
              <time dateTime={one}>{sayDay(one)}</time>
              {mayChange && (
                <button
                  type="button"
                  className="chat-set-remove"
                  aria-label={words.removeClosed(sayDay(one))}
                  onClick={() => onChange(closed.filter((other) => other !== one))}
                >
                  <X className="i" />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {mayChange && (
        <div className="row">
          <input
            type="date"
            className="input input-sm"
            aria-label={words.newClosed}
            value={day}
            onChange={({ target }) => setDay(target.value)}
          />
          <Button size="sm" onClick={add}>
            {words.addClosed}
          </Button>
        </div>
      )}
      <span className="hint" id={id}>
        {words.closedHint}
      </span>
    </fieldset>
  )
}

/** A day as people say it; it is the same day in every zone. */
function sayDay(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
}
