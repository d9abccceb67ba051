import { type ConnectionKind, connectionKinds } from '@patchbay/contract/app/connections.ts'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { call } from '../../data/api.ts'
import { queryClient } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { SelectField } from '../../ui/field.tsx'
import { ConnectionFields, type Draft, type Faults, faultsOf, promptTokensOf } from './connection-fields.tsx'
import { RefusedNote } from './refused-note.tsx'
import { aiWords as words } from './words.ts'

const blank: Draft = { name: '', baseUrl: '', model: '', apiKey: '', promptTokens: '' }

/** The form of a connection that is not there yet. */
export function NewConnection({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<ConnectionKind>('openai-compatible')
  const [draft, setDraft] = useState(blank)
  const [faults, setFaults] = useState<Faults>({})
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector('input')?.focus(), [])
  const make = useMutation({
    mutationFn: () => {
      const { name, baseUrl, model, apiKey } = draft
      const own = { name: name.trim(), kind, model: model.trim(), promptTokens: promptTokensOf(draft) }
      return call('POST /api/connections', {
        body: { ...own, baseUrl: baseUrl.trim() || null, apiKey: apiKey.trim() || null },
      })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['GET /api/connections'] })
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const missing = faultsOf(draft, kind)
    setFaults(missing ?? {})
    if (!missing && !make.isPending) make.mutate()
  }
  return (
    <form className="card" ref={form} onSubmit={submit} noValidate aria-label={words.fresh}>
      <div className="card-head">
        <b className="h-section grow">{words.fresh}</b>
      </div>
      <div className="card-body stack stack-4">
        <ConnectionFields
          {...{ draft, faults, kind }}
          onChange={(changed) => {
            setDraft(changed)
            setFaults({})
            make.reset()
          }}
        />
        <SelectField
          label={words.kind}
          value={kind}
          onChange={(event) => setKind(event.target.value as ConnectionKind)} // its options are the kinds
        >
          {connectionKinds.map((one) => (
            <option value={one} key={one}>
              {words.kinds[one]}
            </option>
          ))}
        </SelectField>
        {make.error && <RefusedNote sentence={`${sayError(make.error).title} ${sayError(make.error).hint}`.trim()} />}
        <div className="row">
          <Button type="submit" look="primary" busy={make.isPending && words.saving}>
            {words.make}
          </Button>
          <Button look="quiet" onClick={onClose}>
            {words.cancel}
          </Button>
        </div>
      </div>
    </form>
  )
}
