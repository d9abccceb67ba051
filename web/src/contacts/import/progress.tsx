import { Progress } from '../../ui/progress.tsx'

/** How far an import is, with its name and a figure above the bar. */
export function ImportProgress({ label, percent, says }: { label: string; percent: number; says: string }) {
  return (
    <div className="stack">
      <div className="row between">
        <span className="strong" aria-hidden="true">
          {label}
        </span>
        <span className="mono">{says}</span>
      </div>
      <Progress label={label} done={percent} all={100} says={says} />
    </div>
  )
}
