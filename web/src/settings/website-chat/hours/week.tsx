import Plus from 'lucide-react/icons/plus'
import X from 'lucide-react/icons/x'
import { IconButton } from '../../../ui/icon-button.tsx'
import { chatWords as words } from '../words.ts'
import { addWindow, clock, endOf, openDay, type Window } from './windows.ts'

type Props = { windows: readonly Window[]; mayChange: boolean; onChange: (windows: Window[]) => void }

/** A row a day, with its windows; a day that is opened is proposed as the one before it. */
export function Week({ windows, mayChange, onChange }: Props) {
  const replace = (old: Window, now: Window[]) => onChange(windows.flatMap((one) => (one === old ? now : [one])))
  return (
    <div>
      <ul className="chat-set-week">
        {words.days.map((name, n) => {
          const day = n + 1
          const own = windows.filter((one) => one.day === day)
          return (
            <li key={name}>
              <span className="chat-set-day">{name}</span>
              <div className="chat-set-windows">
                {own.length === 0 && <span className="faint">{words.shut}</span>}
                {own.map((one, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a window has no name but its place
                  <span className="row chat-set-window" key={i}>
                    <input
                      type="time"
                      name="hours"
                      className="input"
                      aria-label={words.from(name, i + 1)}
                      value={one.from}
                      onChange={({ target }) => replace(one, [{ ...one, from: target.value }])}
                    />
                    <span aria-hidden="true">{words.until}</span>
                    <input
                      type="time"
                      name="hours"
                      className="input"
                      aria-label={words.to(name, i + 1)}
                      value={clock(one.to)}
                      onChange={({ target }) => replace(one, [{ ...one, to: endOf(target.value) }])}
                    />
                    {mayChange && (
                      <IconButton label={words.removeWindow(name, one.from)} small onClick={() => replace(one, [])}>
                        <X className="i" />
                      </IconButton>
                    )}
                  </span>
                ))}
              </div>
              {mayChange && own.length < 6 && (
                <IconButton
                  label={words.openOn(name)}
                  small
                  onClick={() => onChange(own.length === 0 ? openDay(windows, day) : addWindow(windows, day))}
                >
                  <Plus className="i" />
                </IconButton>
              )}
            </li>
          )
        })}
      </ul>
      <p className="hint">{words.overnight}</p>
    </div>
  )
}
