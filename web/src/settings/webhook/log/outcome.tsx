import '../../../ui/delivery-error.css'
import type { DeliveryState } from '@patchbay/contract/app/webhook.ts'
import Check from 'lucide-react/icons/check'
import Clock from 'lucide-react/icons/clock'
import RotateCw from 'lucide-react/icons/rotate-cw'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import type { ReactNode } from 'react'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { countdown } from '../../../ui/countdown.ts'
import { deliveryErrorWords, sayCause } from '../../../ui/delivery-error-words.ts'
import { useNow } from '../../../ui/use-now.ts'
import { deliveryWords as words } from './words.ts'

type Props = { delivery: DeliveryState; isBreakerOpen: boolean; isSending: boolean; onAgain: () => void }

/** What happened, what happens next, what can be done. */
export function Outcome({ delivery, isBreakerOpen, isSending, onAgain }: Props) {
  const { status, fault, attempts } = delivery
  const isOnItsWay = isSending || delivery.isSending
  const isFailed = status === 'Failed'
  const Icon = isFailed ? TriangleAlert : status === 'Sent' ? Check : Clock
  return (
    <div className={classes('delivery-error', !isFailed && 'calm')} aria-live="polite">
      <Icon className="i" />
      <div>
        <b>{isFailed ? fault && sayCause(fault) : status === 'Sent' ? words.delivered : words.waits}</b>
        <div className="delivery-error-next">
          {isFailed ? (
            <Next delivery={delivery} isBreakerOpen={isBreakerOpen} />
          ) : status === 'Sent' ? (
            words.deliveredHint(attempts)
          ) : (
            isBreakerOpen && words.nextInLine
          )}
        </div>
      </div>
      <div className="delivery-error-acts">
        {status !== 'Waiting' && (
          <Button size="sm" look={isFailed ? 'fail' : 'outline'} busy={isOnItsWay && words.sending} onClick={onAgain}>
            <RotateCw className="i i-14" />
            {words.again}
          </Button>
        )}
      </div>
    </div>
  )
}

function Next({ delivery, isBreakerOpen }: Pick<Props, 'delivery' | 'isBreakerOpen'>): ReactNode {
  const { fault, attempts, askedAttempts, maxAttempts, nextAttemptAt } = delivery
  const now = useNow('second')
  const special = fault && (fault.httpStatus === 410 ? deliveryErrorWords.gone : specialNext[fault.category])
  if (special) return special
  if (nextAttemptAt === null) return words.notAgain
  const left = Date.parse(nextAttemptAt) - now.getTime()
  if (left <= 0) return isBreakerOpen ? words.nextInLine : words.nextTryNow
  return (
    // The countdown is not read out every second.
    <span aria-live="off">
      {words.nextTryIn} <span className="mono">{countdown(left)}</span>
      {words.thenMore(maxAttempts - (attempts - askedAttempts) - 1)}
    </span>
  )
}

const specialNext: Record<string, string | undefined> = {
  no_endpoint: deliveryErrorWords.noEndpoint,
  endpoint_paused: deliveryErrorWords.paused,
  secret_unreadable: deliveryErrorWords.secret,
  blocked_address: deliveryErrorWords.blocked,
}
