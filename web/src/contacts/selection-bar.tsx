import { useQuery } from '@tanstack/react-query'
import X from 'lucide-react/icons/x'
import { read } from '../queries.ts'
import { Button } from '../ui/button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu } from '../ui/menu.tsx'
import { contactWords } from '../words/contacts.ts'
import { manyWords as words } from '../words/imports.ts'
import type { ContactFilter } from './contact-pages.ts'
import { useMany } from './many.ts'
import type { Selection } from './selection.ts'

type Props = {
  selection: Selection
  filter: ContactFilter
  /** How many are found; undefined: more than are counted. */
  total: number | undefined
  /** All that are shown are selected, and there are more. */
  hasMore: boolean
  /** The list that they are chosen for. */
  to: string | undefined
}

/** How many are selected, and what can be done with them. */
export function SelectionBar({ selection, filter, total, hasMore, to }: Props) {
  const { data } = useQuery(read('GET /api/lists'))
  const many = useMany(selection, filter)
  const lists = data?.lists ?? []
  const [shown, target] = [filter.listId, to].map((listId) => lists.find(({ id }) => id === listId))
  const all = total === undefined ? '' : contactWords.total(total)
  return (
    <fieldset className="row end wrap selection-bar" disabled={many.isBusy}>
      <span className="muted" role="status">
        {selection.isAll ? words.everybody(all) : words.selected(selection.ids.size)}
      </span>
      {hasMore && !selection.isAll && (
        <Button size="sm" look="quiet" onClick={selection.takeAll}>
          {words.allFound(all)}
        </Button>
      )}
      {target && (
        <Button
          size="sm"
          look="primary"
          busy={many.add.isPending && words.adding}
          onClick={() => many.add.mutate(target)}
        >
          {words.addTo(target.name)}
        </Button>
      )}
      {!target && lists.length > 0 && (
        <Menu
          label={words.chooseList}
          items={lists.map((list) => ({ label: list.name, run: () => many.add.mutate(list) }))}
          trigger={(props) => (
            <Button {...props} size="sm" busy={many.add.isPending && words.adding}>
              {words.addToList}
            </Button>
          )}
        />
      )}
      {shown && (
        <Button size="sm" busy={many.remove.isPending && words.removing} onClick={() => many.remove.mutate(shown)}>
          {words.removeFrom(shown.name)}
        </Button>
      )}
      <IconButton small label={words.clear} onClick={selection.clear}>
        <X className="i" />
      </IconButton>
    </fieldset>
  )
}
