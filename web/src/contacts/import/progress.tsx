import { useId } from 'react'

/** How far something is, with its name and a figure above the bar. */
export function Progress({ label, percent, says }: { label: string; percent: number; says: string }) {
  const id = useId()
  return (
    <div className="stack">
      <div className="row between">
        <span className="strong" id={id}>
          {label}
        </span>
        <span className="mono">{says}</span>
      </div>
      <div
        className="progress"
        role="progressbar"
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={says}
      >
        <i style={{ width: `${percent}%` }} />
      </div>
    </div>
  )
}
