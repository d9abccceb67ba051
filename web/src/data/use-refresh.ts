import { useEffect } from 'react'
import { type Hint, onHint } from './live.ts'
import { queryClient } from './queries.ts'

/** However many hints come, what is shown is fetched no more often than this. */
const usualPauseMs = 400

/** Fetches these queries anew when the server reports a change of one of these topics; they are named by their routes. */
export function useRefresh(
  topics: readonly Hint['topic'][],
  routes: readonly string[],
  pauseMs: number = usualPauseMs,
): void {
  const [heard, fetched] = [topics.join(), routes.join()]
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const refresh = () => {
      timer = undefined
      for (const route of fetched.split(',')) void queryClient.invalidateQueries({ queryKey: [route] })
    }
    const stop = onHint(({ topic }) => {
      if (topic !== 'everything' && !heard.split(',').includes(topic)) return
      timer ??= setTimeout(refresh, pauseMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [heard, fetched, pauseMs])
}
