import { connectionKinds } from '@patchbay/contract/model-connections.ts'
import { useEffect } from 'react'
import { call } from '../../data/api.ts'
import { queryClient } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { sayError } from '../../ui/error-state.tsx'
import { SelectField } from '../../ui/field.tsx'
import { useForm } from '../../ui/use-form.ts'
import { ConnectionFields, checkConnection, type Draft, promptTokensOf } from './connection-fields.tsx'
import { RefusedNote } from './refused-note.tsx'
import { aiWords as words } from './words.ts'

const blank: Draft = { name: '', kind: 'openai-compatible', baseUrl: '', model: '', apiKey: '', promptTokens: '' }

/** The form of a connection that is not there yet. */
export function NewConnection({ onClose }: { onClose: () => void }) {
  const form = useForm({
    initial: blank,
    check: checkConnection,
    send: (draft) => {
      const { name, kind, baseUrl, model, apiKey } = draft
      const own = { name: name.trim(), kind, model: model.trim(), promptTokens: promptTokensOf(draft) }
      return call('POST /api/connections', {
        body: { ...own, baseUrl: baseUrl.trim() || null, apiKey: apiKey.trim() || null },
      })
    },
    onSaved: async () => {
      await queryClient.invalidateQueries({ queryKey: ['GET /api/connections'] })
      onClose()
    },
  })
  const { ref: element } = form.form
  useEffect(() => element.current?.querySelector('input')?.focus(), [element])
  return (
    <form {...form.form} className="card" aria-label={words.fresh}>
      <div className="card-head">
        <b className="h-section grow">{words.fresh}</b>
      </div>
      <div className="card-body stack stack-4">
        <ConnectionFields form={form} />
        <SelectField label={words.kind} {...form.field('kind')}>
          {connectionKinds.map((one) => (
            <option value={one} key={one}>
              {words.kinds[one]}
            </option>
          ))}
        </SelectField>
        {form.failure && (
          <RefusedNote sentence={`${sayError(form.failure).title} ${sayError(form.failure).hint}`.trim()} />
        )}
        <div className="row">
          <Button type="submit" look="primary" busy={form.isSending && words.saving}>
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
