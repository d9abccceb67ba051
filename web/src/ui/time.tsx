import { clockTime, exactTime, secondTime, timeAgo } from './format-time.ts'
import { useNow } from './use-now.ts'

/** A time as people say it, the exact one on hover. `clock`: as in lists, 10:28 or Yesterday; `second`: as in logs. */
export function Time({
  at,
  as = 'ago',
  className,
}: {
  at: string
  as?: 'ago' | 'clock' | 'second'
  className?: string
}) {
  const date = new Date(at)
  const now = useNow(as === 'ago' && isRecent(date) ? 'second' : 'minute')
  return (
    <time className={className} dateTime={at} title={exactTime(date)}>
      {as === 'ago' ? timeAgo(date, now) : as === 'clock' ? clockTime(date, now) : secondTime(date)}
    </time>
  )
}

/** Seconds are counted only within a minute. */
function isRecent(at: Date): boolean {
  return Math.abs(Date.now() - at.getTime()) < 60_000
}
