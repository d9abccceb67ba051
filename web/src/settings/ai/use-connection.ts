import type { Connection } from '@patchbay/contract/app/connections.ts'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../data/api.ts'
import { queryClient } from '../../data/queries.ts'
import { showToast } from '../../ui/toast.ts'
import { useForm } from '../../ui/use-form.ts'
import { checkConnection, type Draft, promptTokensOf } from './connection-fields.tsx'
import { aiWords as words } from './words.ts'

const refresh = () => queryClient.invalidateQueries({ queryKey: ['GET /api/connections'] })

/** What can be done with a connection. A change names the version it was made to, so that it undoes nobody else's. */
export function useConnection(connection: Connection) {
  const params = { connectionId: connection.id }
  const form = useForm({
    initial: draftOf(connection),
    version: connection.version,
    check: checkConnection,
    send: (draft, { version }) => {
      const own = { name: draft.name.trim(), baseUrl: draft.baseUrl.trim() || null, model: draft.model.trim() }
      const promptTokens = promptTokensOf(draft)
      const apiKey = draft.apiKey.trim()
      const body = {
        version,
        ...own,
        ...(promptTokens !== connection.promptTokens && { promptTokens }),
        ...(apiKey !== '' && { apiKey }),
      }
      return call('PATCH /api/connections/:connectionId', { params, body })
    },
    kept: (saved) => ({ values: draftOf(saved), version: saved.version }),
    onSaved: async () => {
      await refresh()
      showToast({ text: words.saved })
    },
  })
  const tryIt = useMutation({
    mutationFn: () => call('POST /api/connections/:connectionId/try', { params }),
    onSuccess: refresh,
  })
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/connections/:connectionId', { params }),
    onSuccess: async () => {
      await refresh()
      showToast({ text: words.removed(connection.name) })
    },
  })
  // Until the saved one is here, too: what is known of the last try is of the one before.
  const isEdited = form.isChanged || form.isSending
  return { form, isEdited, tryIt, remove }
}

export type ConnectionUse = ReturnType<typeof useConnection>

function draftOf({ name, kind, baseUrl, model, promptTokens }: Connection): Draft {
  return { name, kind, baseUrl: baseUrl ?? '', model: model ?? '', apiKey: '', promptTokens: String(promptTokens) }
}
