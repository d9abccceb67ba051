import ArrowUp from 'lucide-react/icons/arrow-up'
import { sortWords as words } from './sort-words.ts'

/** The head of a column that rows can be sorted by, the least on top. Pressed again, the newest come first as before. */
export function SortHead({
  label,
  isOn,
  onChange,
  className,
}: {
  label: string
  isOn: boolean
  onChange: (isOn: boolean) => void
  className?: string
}) {
  return (
    <th className={className} aria-sort={isOn ? 'ascending' : 'none'}>
      <button
        type="button"
        className="table-sort"
        title={isOn ? words.newestFirst : words.sortBy(label)}
        onClick={() => onChange(!isOn)}
      >
        {label}
        <ArrowUp className="i" />
      </button>
    </th>
  )
}
