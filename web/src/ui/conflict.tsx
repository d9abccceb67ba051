import './conflict.css'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { Button } from './button.tsx'
import { conflictWords as words } from './conflict-words.ts'
import { Note } from './note.tsx'

type Change = { field: string; value: string }

/** Somebody else was faster: what they changed, and whose version to go on with. */
export function Conflict({
  changes,
  takeTheirs,
  saveMine,
}: {
  changes: readonly Change[]
  takeTheirs: () => void
  saveMine: () => void
}) {
  return (
    <Note tone="wait" icon={TriangleAlert} role="alert">
      <div className="stack">
        <p>
          <b className="strong">{words.conflict}</b> {changes.length > 0 ? words.conflictSays : words.conflictOther}
        </p>
        <ul className="stack conflict-changes">
          {changes.map(({ field, value }) => (
            <li key={field}>
              <bdi>{words.conflictLine(field, value)}</bdi>
            </li>
          ))}
        </ul>
        <div className="row wrap">
          <Button size="sm" onClick={takeTheirs}>
            {words.loadTheirs}
          </Button>
          <Button size="sm" onClick={saveMine}>
            {words.keepMine}
          </Button>
        </div>
      </div>
    </Note>
  )
}

/** Returns those of the fields that differ, with their values as they are now. */
export function differences<Fields extends object>(
  before: Fields,
  now: Fields,
  names: Partial<Record<keyof Fields, string>>,
): Change[] {
  return (Object.entries(names) as [keyof Fields, string][])
    .filter(([field]) => JSON.stringify(before[field]) !== JSON.stringify(now[field]))
    .map(([field, name]) => ({ field: name, value: sayValue(now[field]) }))
}

function sayValue(value: unknown): string {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return words.nothing
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map((one) => (typeof one === 'string' ? one : one.text)).join(' · ')
  return String(value)
}
