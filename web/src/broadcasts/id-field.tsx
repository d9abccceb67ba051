import type { Reach } from '@patchbay/contract/app/broadcasts.ts'
import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { read } from '../data/queries.ts'
import { SelectField } from '../ui/field.tsx'
import { broadcastWords as words } from './words.ts'

type Props = Omit<ComponentProps<typeof SelectField>, 'label'> & { listId: string }

/** How many of the list can be reached; and what becomes the id of those who have none, if there are any. */
export function IdField({ listId, ...field }: Props) {
  const { data } = useQuery({ ...read('GET /api/lists/:listId/reach', { params: { listId } }), enabled: listId !== '' })
  if (!data || data.contacts === 0) return null
  const without = withoutId(data)
  return (
    <div className="broadcast-form-whole stack">
      <p className="muted">{words.reach(data)}</p>
      {without > 0 && (
        <SelectField label={words.idFrom} hint={words.idFromHint} {...field}>
          <option value="">{words.idFromNone(without)}</option>
          <option value="phone">{words.idFromPhone(data.byPhone)}</option>
          <option value="email">{words.idFromEmail(data.byEmail)}</option>
        </SelectField>
      )}
    </div>
  )
}

const withoutId = ({ contacts, optedOut, withId }: Reach) => contacts - optedOut - withId
