import type { ShownImport } from '@patchbay/contract/app/imports.ts'
import type { ImportField } from '@patchbay/contract/import-fields.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import Info from 'lucide-react/icons/info'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { read } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/check.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { Field, SelectField } from '../../ui/field.tsx'
import { Note } from '../../ui/note.tsx'
import { Columns } from './columns.tsx'
import { CountryField } from './country-field.tsx'
import { keepImport, refreshImports } from './use-imports.ts'
import { importWords as words } from './words.ts'

/** What somebody chooses before the start. */
export function usePreview(job: ShownImport) {
  const { to } = useSearch({ strict: false })
  const [listId, setList] = useState<string>(to ?? '')
  const [newList, setNewList] = useState(job.fileName.replace(/\.[^.]*$/, ''))
  const [overwrites, setOverwrites] = useState(false)
  const params = { importId: job.id }
  const map = useMutation({
    scope: { id: `mapping of ${job.id}` }, // one after another: the last choice is the one that counts
    mutationFn: (body: { mapping: ImportField[]; country: string | null }) =>
      call('PUT /api/imports/:importId/mapping', { params, body }),
    onSuccess: keepImport,
  })
  const start = useMutation({
    mutationFn: () => {
      const list = listId === isNewList ? { listId: null, newList } : { listId: listId || null }
      const body = { mapping: job.mapping, ...list, overwrites }
      return call('POST /api/imports/:importId/start', { params, body })
    },
    onSuccess: keepImport,
    onSettled: refreshImports,
  })
  return { listId, setList, newList, setNewList, overwrites, setOverwrites, map, start }
}

/** Stands in place of a list's id. */
const isNewList = 'new'

type PreviewState = ReturnType<typeof usePreview>
type Props = { job: ShownImport; preview: PreviewState }

/** What becomes of the columns and the rows. Nothing is changed before the start. */
export function Preview({ job, preview }: Props) {
  const { data } = useQuery(read('GET /api/lists'))
  const { map, start, listId, overwrites } = preview
  const failed = map.error ?? start.error
  // Each choice is sent with the others: those that are not kept yet would be undone by it.
  const chosen = map.isPending ? map.variables : { mapping: job.mapping, country: job.country }
  return (
    <>
      <Columns job={job} mapping={chosen.mapping} onChange={(mapping) => map.mutate({ ...chosen, mapping })} />
      {chosen.mapping.includes('phone') && (
        <div className="import-list-field">
          <CountryField value={chosen.country ?? ''} onChange={(country) => map.mutate({ ...chosen, country })} />
        </div>
      )}
      <Summary job={job} overwrites={overwrites} />
      {failed && (
        <p className="fail" role="alert">
          {sayError(failed).title} {sayError(failed).hint}
        </p>
      )}
      <div className="import-list-field stack stack-4">
        <SelectField label={words.list} value={listId} onChange={(event) => preview.setList(event.target.value)}>
          <option value="">{words.noList}</option>
          <option value={isNewList}>{words.newList}</option>
          {data?.lists.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        {listId === isNewList && (
          <Field
            label={words.newListName}
            value={preview.newList}
            maxLength={limits.nameCharacters}
            onChange={(event) => preview.setNewList(event.target.value)}
          />
        )}
      </div>
      <div className="stack">
        <Check checked={overwrites} onChange={(event) => preview.setOverwrites(event.target.checked)}>
          {words.overwrite}
        </Check>
        <p className="hint">{words.overwriteSays}</p>
      </div>
    </>
  )
}

function Summary({ job, overwrites }: { job: ShownImport; overwrites: boolean }) {
  const { rows, wrong, known, checked, state } = job
  return (
    <Note icon={Info} role="status">
      {state === 'checking' ? (
        words.checking(checked, rows)
      ) : (
        <>
          <b className="strong">{words.ready(rows - wrong, rows)}</b>{' '}
          <span className="muted">
            {words.known(known, overwrites)} {words.mendable(wrong)}
          </span>
        </>
      )}
    </Note>
  )
}

export function PreviewFooter({ job, preview, onCancel }: Props & { onCancel: () => void }) {
  const ready = job.rows - job.wrong
  const { start, map } = preview
  return (
    <>
      <span className="grow" />
      <Button look="quiet" onClick={onCancel}>
        {words.cancel}
      </Button>
      <Button
        look="primary"
        disabled={ready === 0 || map.isPending || (preview.listId === isNewList && preview.newList.trim() === '')}
        busy={start.isPending && words.starting}
        onClick={() => start.mutate()}
      >
        {job.state === 'ready' ? words.start(ready) : words.startAtOnce}
      </Button>
    </>
  )
}
