import { useQuery } from '@tanstack/react-query'
import X from 'lucide-react/icons/x'
import { read } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu } from '../ui/menu.tsx'
import type { ContactFilter } from './contact-pages.ts'
import { manyWords as words } from './import/words.ts'
import { useMany } from './many.ts'
import { offersAll, type Selection } from './selection.ts'
import { contactWords } from './words.ts'

type Props = {
  selection: Selection
  filter: ContactFilter
  /** How many are found; undefined: more than are counted. */
  total: number | undefined
  shown: readonly { id: string }[]
  hasNextPage: boolean
  /** The list that contacts are chosen for. */
  to: string | undefined
}

/** How many are selected, and what can be done with them. */
export function SelectionBar({ selection, filter, total, shown, hasNextPage, to }: Props) {
  const { data } = useQuery(read('GET /api/lists'))
  const many = useMany(selection, filter)
  const lists = data?.lists ?? []
  const [list, target] = [filter.listId, to].map((listId) => lists.find(({ id }) => id === listId))
  const all = total === undefined ? undefined : contactWords.totalName(total)
  return (
    <fieldset className="row end wrap selection-bar" disabled={many.isBusy}>
      <span className="muted" role="status">
        {selection.isAll ? words.everybody(all) : words.selected(selection.ids.size)}
      </span>
      {offersAll(selection, shown, hasNextPage) && (
        <Button size="sm" onClick={selection.takeAll}>
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
          items={lists.map((one) => ({ label: one.name, run: () => many.add.mutate(one) }))}
          trigger={(props) => (
            <Button {...props} size="sm" busy={many.add.isPending && words.adding}>
              {words.addToList}
            </Button>
          )}
        />
      )}
      {list && (
        <Button size="sm" busy={many.remove.isPending && words.removing} onClick={() => many.remove.mutate(list)}>
          {words.removeFrom(list.name)}
        </Button>
      )}
      <IconButton small label={words.clear} onClick={selection.clear}>
        <X className="i" />
      </IconButton>
    </fieldset>
  )
}
