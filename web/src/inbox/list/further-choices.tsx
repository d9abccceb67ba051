import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { read } from '../../data/queries.ts'
import { ChannelLabel } from '../../ui/channel.tsx'
import { furtherFilters, searchOf, type View } from '../filters.ts'
import { teamWords as words } from '../team/words.ts'

/** What is behind the filter button. */
export function FurtherChoices({ view, onChosen }: { view: View; onChosen: () => void }) {
  const { data } = useQuery({ ...read('GET /api/conversation-filters'), staleTime: 0 })
  const navigate = useNavigate()
  const choose = (each: View) => {
    onChosen()
    void navigate({ to: '.', search: searchOf(each), replace: true })
  }
  const choice = (each: View, label: ReactNode) => (
    <button key={each} type="button" className="filter" aria-pressed={each === view} onClick={() => choose(each)}>
      {label}
    </button>
  )
  return (
    <div className="further">
      <fieldset>
        <legend>{words.state}</legend>
        {furtherFilters.map((each) => choice(each, words[each]))}
      </fieldset>
      {data && data.channels.length > 0 && (
        <fieldset>
          <legend>{words.channel}</legend>
          {data.channels.map((channel) => choice(`channel:${channel.label}`, <ChannelLabel channel={channel} />))}
        </fieldset>
      )}
      <fieldset>
        <legend>{words.tag}</legend>
        {data?.tags.map((tag) => choice(`tag:${tag}`, <bdi className="cut">{tag}</bdi>))}
        {data?.tags.length === 0 && <span className="small muted">{words.noTagYet}</span>}
      </fieldset>
    </div>
  )
}
