import type { Connection } from '@patchbay/contract/app/connections.ts'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../data/api.ts'
import { queryClient } from '../../data/queries.ts'
import { showToast } from '../../ui/toast.ts'
import { type Draft, promptTokensOf } from './connection-fields.tsx'
import { aiWords as words } from './words.ts'

const refresh = () => queryClient.invalidateQueries({ queryKey: ['GET /api/connections'] })

/** What can be done with a connection. */
export function useConnection({ id, name, promptTokens: before }: Connection, onSaved: () => void) {
  const params = { connectionId: id }
  const save = useMutation({
    mutationFn: ({ draft, version }: { draft: Draft; version: number }) => {
      const own = { name: draft.name.trim(), baseUrl: draft.baseUrl.trim() || null, model: draft.model.trim() }
      const promptTokens = promptTokensOf(draft)
      const apiKey = draft.apiKey.trim()
      const body = {
        version,
        ...own,
        ...(promptTokens !== before && { promptTokens }),
        ...(apiKey !== '' && { apiKey }),
      }
      return call('PATCH /api/connections/:connectionId', { params, body })
    },
    onSuccess: async () => {
      await refresh()
      onSaved()
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
      showToast({ text: words.removed(name) })
    },
  })
  return { save, tryIt, remove }
}

export type ConnectionMutations = ReturnType<typeof useConnection>
