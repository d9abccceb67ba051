import './tabs.css'
import { type KeyboardEvent, type ReactNode, useId } from 'react'

export type TabOf<Value extends string> = { value: Value; label: ReactNode; panel: () => ReactNode }

/** Tabs within a page. Pages that have an address of their own are links instead (`SideNav`). */
export function Tabs<Value extends string>({
  label,
  value,
  tabs,
  onChange,
}: {
  label: string
  value: Value
  tabs: readonly TabOf<Value>[]
  onChange: (value: Value) => void
}) {
  const id = useId()
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const from = tabs.findIndex((tab) => tab.value === value)
    const next = tabs.at((from + step) % tabs.length)
    if (!next) return
    onChange(next.value)
    document.getElementById(`${id}-${next.value}`)?.focus()
  }
  return (
    <>
      <div className="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.value}
            id={`${id}-${tab.value}`}
            type="button"
            role="tab"
            className="tab"
            aria-selected={tab.value === value}
            aria-controls={`${id}-panel`}
            tabIndex={tab.value === value ? 0 : -1}
            onClick={() => onChange(tab.value)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`}>
        {tabs.find((tab) => tab.value === value)?.panel()}
      </div>
    </>
  )
}
