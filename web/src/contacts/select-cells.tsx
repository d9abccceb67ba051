import './select-cells.css'
import '../ui/check.css'
import { manyWords as words } from './import/words.ts'
import type { Selection } from './selection.ts'

/** The tick of a row. */
export function SelectCell({ id, name, selection }: { id: string; name: string; selection: Selection }) {
  return (
    <td className="select-cell">
      <label className="select-box">
        <input
          type="checkbox"
          className="check"
          aria-label={words.select(name)}
          checked={selection.has(id)}
          onChange={(event) => selection.toggle(id, event.target.checked)}
        />
      </label>
    </td>
  )
}

/** The tick above the rows, for all that are shown. */
export function SelectHead({ ids, selection }: { ids: readonly string[]; selection: Selection }) {
  const isEvery = ids.length > 0 && ids.every(selection.has)
  return (
    <th className="select-cell">
      <label className="select-box">
        <input
          type="checkbox"
          className="check"
          aria-label={words.selectAll}
          checked={isEvery}
          ref={(box) => {
            if (box) box.indeterminate = !isEvery && selection.ids.size > 0
          }}
          onChange={() => selection.setShown(ids, !isEvery)}
        />
      </label>
    </th>
  )
}
