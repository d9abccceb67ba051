import './progress.css'

/** How far something is. Always with the numbers beside it. */
export function Progress({ label, done, all, says }: { label: string; done: number; all: number; says?: string }) {
  const share = all === 0 ? 0 : Math.min(1, done / all)
  return (
    <div
      className="progress"
      role="progressbar"
      aria-label={label}
      aria-valuenow={done}
      aria-valuemin={0}
      aria-valuemax={all}
      aria-valuetext={says}
    >
      <i style={{ width: `${share * 100}%` }} />
    </div>
  )
}
