import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { read } from '../data/queries.ts'
import { useStore } from '../data/store.ts'
import { notices } from '../notices/notice-switch.ts'
import { setTitleCount } from '../ui/use-title.ts'

/** The count in the title, and the notifications of this browser where they are switched on. */
export function useNotices(): void {
  const userId = useQuery(read('GET /api/session')).data?.user.id
  const { data: counts } = useQuery(read('GET /api/counts'))
  const isOn = useStore(notices) === 'on'
  const { history } = useRouter()
  const needed = counts ? counts.waiting + counts.failed : 0
  useEffect(() => setTitleCount(needed), [needed])
  useEffect(() => () => setTitleCount(0), [])
  useEffect(() => {
    if (!isOn || userId === undefined) return
    let stop = () => {}
    let isEnded = false
    void import('../notices/start-notices.ts').then(({ startNotices }) => {
      if (!isEnded) stop = startNotices(userId, (path) => history.push(path))
    })
    return () => {
      isEnded = true
      stop()
    }
  }, [isOn, userId, history])
}
