import './handler-switch.css'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'

/**
 * Says which side a conversation is plugged into, and plugs it into the other. The plugged side says its state, the
 * other one its verb. It is made by hand: in Ariakit's radio group an arrow key chooses, and its bare roving focus
 * would add 14 KB to the script of the first view.
 */
export function HandlerSwitch<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  /** The side that is plugged; null: neither. */
  value: Value | null
  options: readonly { value: Value; label: ReactNode }[]
  onChange: (value: Value) => void
}) {
  const group = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    const buttons = [...(group.current?.querySelectorAll('button') ?? [])]
    const from = buttons.indexOf(document.activeElement as HTMLButtonElement)
    if (step === undefined || from < 0) return
    event.preventDefault()
    buttons.at((from + step) % buttons.length)?.focus() // only moves: to plug is a decision
  }
  const stop = value ?? options[0]?.value
  return (
    <div className="handler-switch" role="radiogroup" aria-label={label} ref={group} onKeyDown={move}>
      {options.map((option) => (
        // biome-ignore lint/a11y/useSemanticElements: a button, because choosing acts at once
        <button
          key={option.value}
          type="button"
          role="radio"
          aria-checked={option.value === value}
          tabIndex={option.value === stop ? 0 : -1}
          onClick={() => option.value !== value && onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}
