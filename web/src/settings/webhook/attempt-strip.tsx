import type { Webhook } from '@patchbay/contract/app/receivers.ts'
import { clockTime } from '../../ui/format-time.ts'
import { useNow } from '../../ui/use-now.ts'
import { webhookWords as words } from './words.ts'

/** The last attempts, oldest first; failed ones stand out. */
export function AttemptStrip({ attempts }: { attempts: Webhook['attempts'] }) {
  const now = useNow('minute')
  const failed = attempts.filter(({ ok }) => !ok).length
  const inRow = attempts.length - 1 - attempts.findLastIndex(({ ok }) => ok)
  const [first] = attempts
  return (
    <div>
      <div className="health-strip" role="img" aria-label={words.stripLabel(attempts.length, failed, inRow)}>
        {Array.from({ length: Math.max(0, most - attempts.length) }, (_, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: places that are still empty have nothing else
          <i key={`empty ${n}`} className="health-strip-none" />
        ))}
        {attempts.map(({ at, ok }, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two attempts may have the same time
          <i key={`${at} ${n}`} className={ok ? '' : 'health-strip-failed'} />
        ))}
      </div>
      <div className="row between small faint strip-legend">
        <span>{words.strip(attempts.length, first ? clockTime(new Date(first.at), now) : '')}</span>
        <span>{words.stripNow}</span>
      </div>
    </div>
  )
}

const most = 60
