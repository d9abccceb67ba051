import './seg.css'
import type { ReactNode } from 'react'

/** A choice of one of a few, side by side: filters and choices of how something is shown. */
export function Seg<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: Value
  options: readonly { value: Value; label: ReactNode; disabled?: boolean }[]
  onChange: (value: Value) => void
}) {
  return (
    <fieldset className="seg" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          disabled={option.disabled}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}
