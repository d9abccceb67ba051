import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import X from 'lucide-react/icons/x'
import { useCommands } from '../../commands/commands.ts'
import { read } from '../../data/queries.ts'
import { filters, partsOf, searchOf, type View } from '../filters.ts'
import { teamWords } from '../team/words.ts'
import { inboxWords as words } from '../words.ts'

/**
 * The filters all, mine, unread, waiting, failed, with how many there are; keys 1 to 5. Another one that is chosen
 * comes after them.
 */
export function Filters({ view }: { view: View }) {
  const { data: counts } = useQuery(read('GET /api/counts'))
  const navigate = useNavigate()
  const choose = (each: View) => void navigate({ to: '.', search: searchOf(each), replace: true })
  useCommands(
    filters.map((each, index) => ({
      id: `filter ${each}`,
      label: words.keys.filter(words.filters[each]),
      keys: String(index + 1),
      group: words.keys.group,
      run: () => choose(each),
    })),
  )
  const isFurther = !filters.some((each) => each === view)
  return (
    <fieldset className="filters" aria-label={words.filter}>
      {isFurther && (
        <button type="button" className="filter" aria-pressed={true} onClick={() => choose('all')}>
          <bdi className="cut">{sayView(view)}</bdi>
          <X className="i i-14" />
          <span className="sr">{teamWords.clearFilter}</span>
        </button>
      )}
      {filters.map((each) => (
        <button key={each} type="button" className="filter" aria-pressed={each === view} onClick={() => choose(each)}>
          {words.filters[each]}
          {each !== 'all' && counts && counts[each] > 0 && (
            <b className={each === 'waiting' ? 'wait' : each === 'failed' ? 'fail' : undefined}>
              {words.count(counts[each])}
            </b>
          )}
        </button>
      ))}
    </fieldset>
  )
}

function sayView(view: View): string {
  const [kind, name] = partsOf(view)
  if (kind === 'filter') return name === 'closed' ? teamWords.closed : teamWords.snoozed
  return name
}
