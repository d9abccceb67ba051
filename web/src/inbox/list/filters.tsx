import type { ConversationFilter } from '@patchbay/contract/app/conversations.ts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useKeys } from '../../keys.ts'
import { read } from '../../queries.ts'
import { inboxWords as words } from '../../words/inbox.ts'
import { filters } from '../filters.ts'

/** All, unread, waiting, failed, with how many there are; keys 1 to 4. */
export function Filters({ filter }: { filter: ConversationFilter }) {
  const { data: counts } = useQuery(read('GET /api/counts'))
  const navigate = useNavigate()
  const choose = (each: ConversationFilter) =>
    void navigate({ to: '.', search: each === 'all' ? {} : { filter: each }, replace: true })
  useKeys(
    filters.map((each, index) => ({
      press: String(index + 1),
      does: words.keys.filter(words.filters[each]),
      group: words.keys.group,
      run: () => choose(each),
    })),
  )
  return (
    <fieldset className="filters" aria-label={words.filter}>
      {filters.map((each) => (
        <button key={each} type="button" className="filter" aria-pressed={each === filter} onClick={() => choose(each)}>
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
