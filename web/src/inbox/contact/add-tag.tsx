import { limits } from '@patchbay/contract/limits.ts'
import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useId, useState } from 'react'
import { read } from '../../data/queries.ts'
import { useActions } from '../data/use-actions.ts'
import { tagWords as words } from './tag-words.ts'

type Props = { contactId: string; taken: readonly string[]; onLeave: () => void }

/** A tag is made by typing it; those in use are offered. */
export function AddTag({ contactId, taken, onLeave }: Props) {
  const { addTag } = useActions(contactId)
  const { data } = useQuery({ ...read('GET /api/conversation-filters'), staleTime: 0 })
  const [tag, setTag] = useState('')
  const id = useId()
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (tag.trim() === '') return onLeave()
    if (await addTag(tag)) setTag('')
  }
  return (
    <form onSubmit={(event) => void onSubmit(event)}>
      <input
        className="input"
        aria-label={words.addTagLong}
        list={id}
        // biome-ignore lint/a11y/noAutofocus: it opens because somebody asked for it
        autoFocus
        autoComplete="off"
        maxLength={limits.tagCharacters}
        value={tag}
        onChange={(event) => setTag(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          onLeave()
        }}
      />
      <datalist id={id}>
        {(data?.tags ?? [])
          .filter((known) => !taken.includes(known))
          .map((known) => (
            <option key={known} value={known} />
          ))}
      </datalist>
    </form>
  )
}
