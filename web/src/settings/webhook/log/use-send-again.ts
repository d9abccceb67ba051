import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../../../data/api.ts'
import { queryClient, read } from '../../../data/queries.ts'
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

/** Fetches a log anew that is not that of replies. */
function refetchEvents(log: Exclude<Log, '/api/deliveries'>): void {
  for (const route of [`GET ${log.replace('deliveries', 'webhook')}`, `GET ${log}`, `GET ${log}/:id`]) {
    void queryClient.invalidateQueries({ queryKey: [route] })
  }
}

const lookMs = 700

/** Whose log: that of replies, of an agency's recharge requests, or of alerts. */
type Log = '/api/deliveries' | '/api/agency/deliveries' | '/api/alerts/deliveries'

/** Posts something again, and looks for what comes of it until it is no longer on its way, also without a stream. */
export function useSendAgain(log: Log = '/api/deliveries') {
  const [watched, setWatched] = useState<string>()
  const sendAgain = useMutation({
    mutationFn: (id: string) => call(`POST ${log}/:id/resend`, { params: { id } }),
    onSuccess: (detail) => {
      const { id } = detail.delivery
      queryClient.setQueryData(detailKey(log, id), detail)
      setWatched(id)
    },
    onError: (error) => showToast({ text: sayError(error).title }),
  })
  useEffect(() => {
    if (watched === undefined) return
    const timer = setInterval(async () => {
      await queryClient.invalidateQueries({ queryKey: detailKey(log, watched) })
      if (queryClient.getQueryData(detailKey(log, watched))?.delivery.isSending) return
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
