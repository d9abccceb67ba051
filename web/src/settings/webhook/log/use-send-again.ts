import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../../../api.ts'
import { queryClient, read } from '../../../queries.ts'
import { sayError } from '../../../ui/error-state.tsx'
import { showToast } from '../../../ui/toast.ts'

/** Fetches the log and the health anew. */
export function refetchLog(): void {
  for (const route of [
    'GET /api/webhook',
    'GET /api/deliveries',
    'GET /api/deliveries/counts',
    'GET /api/deliveries/:id',
  ]) {
    void queryClient.invalidateQueries({ queryKey: [route] })
  }
}

/** The same for a log that is not that of replies. */
function refetchEvents(log: Exclude<Log, '/api/deliveries'>): void {
  for (const route of [`GET ${log.replace('deliveries', 'webhook')}`, `GET ${log}`, `GET ${log}/:id`]) {
    void queryClient.invalidateQueries({ queryKey: [route] })
  }
}

/** An attempt takes 15 s at most. */
const watchedMs = 20_000
const lookMs = 700

/** Whose log: that of replies, of an agency's recharge requests, or of alerts. */
type Log = '/api/deliveries' | '/api/agency/deliveries' | '/api/alerts/deliveries'

/** Posts something again, and looks for what comes of it until another attempt is there, also without a stream. */
export function useSendAgain(log: Log = '/api/deliveries') {
  const [watched, setWatched] = useState<{ id: string; attempts: number; until: number }>()
  const sendAgain = useMutation({
    mutationFn: (id: string) => call(`POST ${log}/:id/resend`, { params: { id } }),
    onSuccess: (detail) => {
      const { id, attempts } = detail.delivery
      queryClient.setQueryData(detailKey(log, id), detail)
      setWatched({ id, attempts, until: Date.now() + watchedMs })
    },
    onError: (error) => showToast({ text: sayError(error).title }),
  })
  useEffect(() => {
    if (!watched) return
    const timer = setInterval(async () => {
      const { id, attempts, until } = watched
      await queryClient.invalidateQueries({ queryKey: detailKey(log, id) })
      const now = queryClient.getQueryData(detailKey(log, id))?.delivery.attempts ?? attempts
      if (now === attempts && Date.now() < until) return
      setWatched(undefined)
      if (log === '/api/deliveries') refetchLog()
      else refetchEvents(log)
    }, lookMs)
    return () => clearInterval(timer)
  }, [watched, log])
  return { sendAgain, isSending: sendAgain.isPending || watched !== undefined }
}

function detailKey(log: Log, id: string) {
  return read(`GET ${log}/:id`, { params: { id } }).queryKey
}
