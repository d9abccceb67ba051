import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { onHint, startLive } from '../data/live.ts'
import { queryClient, read } from '../data/queries.ts'

/** How often the counts are fetched at most while hints arrive. */
const pauseMs = 500

/** Opens the stream of whoever is signed in, and keeps the counts of the rail up to date. */
export function useLive(): void {
  const userId = useQuery(read('GET /api/session')).data?.user.id
  useEffect(() => (userId === undefined ? undefined : startLive(userId)), [userId])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onHint(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        void queryClient.invalidateQueries({ queryKey: ['GET /api/counts'] })
      }, pauseMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [])
}
